//! How different two colors look to people with and without color blindness.

/// A color in sRGB.
pub type Rgb = [u8; 3];

/// The cone that is missing, as a matrix on linear RGB: the table for severity 1.0 in Machado,
/// Oliveira, Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency"
/// (2009). The first is for a person who sees all colors.
pub const VISIONS: [(&str, [[f64; 3]; 3]); 4] = [
    (
        "all colors",
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    ),
    (
        "protanopia",
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
    ),
    (
        "deuteranopia",
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
    ),
    (
        "tritanopia",
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ),
];

/// Reads `rgb(10, 77, 143)`, as browsers write computed colors.
pub fn parse(text: &str) -> Rgb {
    let inside = text
        .strip_prefix("rgb(")
        .and_then(|text| text.strip_suffix(')'));
    let inside = inside.unwrap_or_else(|| panic!("not an opaque color: {text}"));
    let parts: Vec<u8> = inside
        .split(", ")
        .map(|part| part.parse().unwrap())
        .collect();
    parts.try_into().unwrap()
}

/// Returns the difference between two colors for a person with this vision: the distance in CIELAB
/// (CIE 1976). 2 can just be told apart side by side; black and white are 100 apart.
pub fn difference(vision: [[f64; 3]; 3], one: Rgb, other: Rgb) -> f64 {
    let [one, other] = [one, other].map(|color| lab(seen(vision, color.map(linear))));
    let squares = one
        .iter()
        .zip(other)
        .map(|(one, other)| (one - other).powi(2));
    squares.sum::<f64>().sqrt()
}

fn linear(part: u8) -> f64 {
    let part = f64::from(part) / 255.0;
    match part <= 0.04045 {
        true => part / 12.92,
        false => ((part + 0.055) / 1.055).powf(2.4),
    }
}

fn multiply(matrix: [[f64; 3]; 3], vector: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| row.iter().zip(vector).map(|(one, other)| one * other).sum())
}

fn seen(vision: [[f64; 3]; 3], color: [f64; 3]) -> [f64; 3] {
    multiply(vision, color).map(|part| part.clamp(0.0, 1.0))
}

fn lab(color: [f64; 3]) -> [f64; 3] {
    let to_xyz = [
        [0.4124, 0.3576, 0.1805],
        [0.2126, 0.7152, 0.0722],
        [0.0193, 0.1192, 0.9505],
    ];
    let [x, y, z] = multiply(to_xyz, color);
    let part = |part: f64| match part > 0.008856 {
        true => part.cbrt(),
        false => 7.787 * part + 16.0 / 116.0,
    };
    let [x, y, z] = [part(x / 0.9505), part(y), part(z / 1.089)];
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

#[test]
fn red_and_green_look_alike_without_the_cones_for_red_or_green() {
    let [red, green] = [[170, 80, 0], [110, 110, 0]];
    let differences = VISIONS.map(|(_, vision)| difference(vision, red, green));
    assert!(differences[0] > 35.0, "{differences:?}");
    assert!(differences[2] < 10.0, "{differences:?}");
    let black_and_white = difference(VISIONS[0].1, [0, 0, 0], [255, 255, 255]);
    assert!((black_and_white - 100.0).abs() < 0.1, "{black_and_white}");
}
