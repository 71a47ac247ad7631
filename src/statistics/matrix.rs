//! Symmetric positive definite matrices.

/// A symmetric matrix.
pub(super) struct Symmetric {
    size: usize,
    /// The entries, row by row.
    entries: Vec<f64>,
}

impl Symmetric {
    /// Creates a matrix of zeros.
    pub(super) fn zeros(size: usize) -> Symmetric {
        Symmetric {
            size,
            entries: vec![0.0; size * size],
        }
    }

    /// Returns an entry.
    pub(super) fn get(&self, row: usize, column: usize) -> f64 {
        self.entries[row * self.size + column]
    }

    /// Adds to an entry. What is added to one side of the diagonal must be added to the other.
    pub(super) fn add(&mut self, row: usize, column: usize, value: f64) {
        self.entries[row * self.size + column] += value;
    }

    /// Adds the product of a vector with itself, times a factor. The vector is given by the
    /// entries that are not 0.
    pub(super) fn add_square(&mut self, vector: &[(usize, f64)], factor: f64) {
        for &(row, left) in vector {
            for &(column, right) in vector {
                self.add(row, column, factor * left * right);
            }
        }
    }

    /// Returns xᵀAy of this matrix A and two vectors, which are given by their entries that are
    /// not 0.
    pub(super) fn product(&self, x: &[(usize, f64)], y: &[(usize, f64)]) -> f64 {
        let row = |row: usize| -> f64 {
            y.iter()
                .map(|&(column, right)| self.get(row, column) * right)
                .sum()
        };
        x.iter().map(|&(at, left)| left * row(at)).sum()
    }

    /// Returns the Cholesky decomposition of a positive definite matrix.
    pub(super) fn cholesky(mut self) -> Cholesky {
        let size = self.size;
        for column in 0..size {
            for row in column..size {
                let (left, right) = (row * size, column * size);
                let dot: f64 = self.entries[left..left + column]
                    .iter()
                    .zip(&self.entries[right..right + column])
                    .map(|(x, y)| x * y)
                    .sum();
                let rest = self.get(row, column) - dot;
                self.entries[left + column] = match row == column {
                    true => rest.sqrt(),
                    false => rest / self.get(column, column),
                };
            }
        }
        Cholesky(self)
    }
}

/// The lower triangle L of a matrix A = LLᵀ.
pub(super) struct Cholesky(Symmetric);

impl Cholesky {
    /// Returns the vector x with Ax = b.
    pub(super) fn solve(&self, b: &[f64]) -> Vec<f64> {
        let (size, lower) = (self.0.size, &self.0);
        let mut x = b.to_vec();
        for row in 0..size {
            let start = row * size;
            let known = lower.entries[start..start + row].iter().zip(&x);
            let dot: f64 = known.map(|(l, x)| l * x).sum();
            x[row] = (x[row] - dot) / lower.get(row, row);
        }
        for row in (0..size).rev() {
            x[row] /= lower.get(row, row);
            let (before, value) = (row * size, x[row]);
            let above = lower.entries[before..before + row].iter();
            for (x, l) in x.iter_mut().zip(above) {
                *x -= l * value;
            }
        }
        x
    }

    /// Returns the inverse of A.
    pub(super) fn inverse(&self) -> Symmetric {
        let size = self.0.size;
        let mut inverse = Symmetric::zeros(size);
        let mut unit = vec![0.0; size];
        for column in 0..size {
            unit[column] = 1.0;
            let solution = self.solve(&unit);
            inverse.entries[column * size..(column + 1) * size].copy_from_slice(&solution);
            unit[column] = 0.0;
        }
        inverse
    }
}
