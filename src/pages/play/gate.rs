//! Lets a number of searches run at once, and others wait in order.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::pin;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, timeout};

/// The number of searches that may wait, for each that may run.
const WAITING_PER_RUNNING: usize = 64;

/// How long a search has waited when its visitor is told. What it has found before is told first.
const UNTOLD: Duration = Duration::from_millis(100);

/// The gate to the processors.
///
/// A search runs for a first slice, which may be short, so that every visitor soon sees something. Then it
/// makes room for searches that have not run yet, and after a whole slice for those that have. Of these only
/// the first in line waits among the others for its turn, so that neither kind holds up the other.
pub struct Gate {
    permits: Arc<Semaphore>,
    /// The line of the searches that have run already.
    returning: Semaphore,
    newcomers: AtomicUsize,
    others: AtomicUsize,
    most_running: usize,
    first_slice: Duration,
    slice: Duration,
}

impl Gate {
    /// Creates a gate for this many searches at once, at least one.
    pub fn new(most_running: usize, first_slice: Duration, slice: Duration) -> Gate {
        let most_running = most_running.clamp(1, Semaphore::MAX_PERMITS);
        Gate {
            permits: Arc::new(Semaphore::new(most_running)),
            returning: Semaphore::new(1),
            newcomers: AtomicUsize::new(0),
            others: AtomicUsize::new(0),
            most_running,
            first_slice,
            slice,
        }
    }

    /// Waits for a permit to search, and calls `on_wait` if that takes a while. Returns `None` if too many
    /// wait already.
    pub async fn enter(
        &self,
        has_run: bool,
        on_wait: impl FnOnce(),
    ) -> Option<OwnedSemaphorePermit> {
        if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            return Some(permit);
        }
        let _place = Place::new(if has_run {
            &self.others
        } else {
            &self.newcomers
        });
        if self.waiting() > WAITING_PER_RUNNING.saturating_mul(self.most_running) {
            return None;
        }
        let permit = self.acquire(has_run);
        pin!(permit);
        match timeout(UNTOLD, &mut permit).await {
            Ok(permit) => permit,
            Err(_) => {
                on_wait();
                permit.await
            }
        }
    }

    /// Waits for a permit. The semaphores are never closed.
    async fn acquire(&self, has_run: bool) -> Option<OwnedSemaphorePermit> {
        let _first_in_line = match has_run {
            true => Some(self.returning.acquire().await.ok()?),
            false => None,
        };
        Arc::clone(&self.permits).acquire_owned().await.ok()
    }

    /// Waits until a search that begins now must make room for another one.
    pub async fn until_preempted(&self) {
        let began = Instant::now();
        loop {
            sleep(self.first_slice).await;
            if self.has_to_end(began.elapsed()) {
                return;
            }
        }
    }

    /// Returns whether a search that has run for this time, at least its first slice, must make room.
    fn has_to_end(&self, ran: Duration) -> bool {
        let wait = |count: &AtomicUsize| count.load(Ordering::Relaxed) > 0;
        wait(&self.newcomers) || ran >= self.slice && wait(&self.others)
    }

    fn waiting(&self) -> usize {
        self.newcomers.load(Ordering::Relaxed) + self.others.load(Ordering::Relaxed)
    }

    /// Returns the number of searches that run.
    pub fn running(&self) -> usize {
        self.most_running
            .saturating_sub(self.permits.available_permits())
    }
}

/// A place among those who wait, given up when it is dropped.
struct Place<'a>(&'a AtomicUsize);

impl Place<'_> {
    fn new(count: &AtomicUsize) -> Place<'_> {
        count.fetch_add(1, Ordering::Relaxed);
        Place(count)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;

    const FIRST: Duration = Duration::from_millis(200);
    const SLICE: Duration = Duration::from_secs(2);

    #[tokio::test]
    async fn everybody_has_a_first_slice_before_the_turns_begin() {
        let gate = Arc::new(Gate::new(1, Duration::ZERO, Duration::ZERO));
        let (sender, mut order) = unbounded_channel();
        for number in 0..5 {
            let (gate, sender) = (Arc::clone(&gate), sender.clone());
            // A search that never ends.
            tokio::spawn(async move {
                let mut has_run = false;
                while let Some(permit) = gate.enter(has_run, || ()).await {
                    if sender.send(number).is_err() {
                        return;
                    }
                    gate.until_preempted().await;
                    has_run = true;
                    drop(permit);
                }
            });
        }
        let mut ran = Vec::new();
        while ran.len() < 15 {
            ran.extend(order.recv().await);
        }
        assert_eq!(ran, [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_first_slice_is_enough_while_newcomers_wait() {
        let gate = Gate::new(1, FIRST, SLICE);
        assert!(!gate.has_to_end(SLICE));
        let other = Place::new(&gate.others);
        assert!(!gate.has_to_end(FIRST));
        assert!(gate.has_to_end(SLICE));
        let newcomer = Place::new(&gate.newcomers);
        assert!(gate.has_to_end(FIRST));
        drop((other, newcomer));
        assert!(!gate.has_to_end(SLICE));
    }
}
