//! On a phone, the page answers at once.

use crate::chromium::Browser;
use crate::static_site::{serve, site};
use crate::tasks::{LONG, visit};

/// How many visits there are at most: what other programs do can make a task longer, but never all the time.
const VISITS: usize = 3;

#[test]
#[ignore = "starts Chromium, and takes a minute"]
fn no_script_of_the_page_takes_long_on_a_phone() {
    let server = serve(site());
    let mut long = Vec::new();
    for _ in 0..VISITS {
        let browser = Browser::start();
        browser.touch();
        browser.open(&server.url);
        browser.wait_for_text("#phase", "Black to move");
        let tasks = visit(&browser);
        let scripts: f64 = tasks.iter().map(|task| task.scripts).sum();
        assert!(
            scripts > 4.0 * LONG,
            "the trace has the scripts: {scripts} ms"
        );
        long = tasks
            .into_iter()
            .filter(|task| task.scripts > LONG)
            .collect();
        if long.is_empty() {
            return;
        }
    }
    panic!("{long:#?}");
}
