//! The ladder on the page of a contest.

use serde_json::Value;

use crate::goref::server::Server;

#[test]
fn the_page_has_the_ratings_of_all_games_also_of_those_before() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.json");
    std::fs::write(&file, r#"{"initialState": {"board": 5}}"#).unwrap();
    let options = ["--auto", "--ladder", "--setup", file.to_str().unwrap()];
    let state = folder.path().join("contest");
    for games in 1..=2 {
        let server = Server::keeping(&state, &options);
        let note = |count: usize| {
            let games = if count == 1 { "match" } else { "matches" };
            format!("Elo with 95 % intervals, from {count} {games}.")
        };
        let shows = |count: usize| {
            let mut page = server.watch();
            page.wait_until(&note(count), |page| {
                page.ladder["note"] == note(count).as_str()
            });
            page.ladder["players"]["rows"].clone()
        };
        if games > 1 {
            shows(games - 1);
        }
        server.plays_a_game();
        let rows = shows(games);
        let names = |row: &Value| (row[1].clone(), row[2].clone());
        let mut players: Vec<_> = rows.as_array().unwrap().iter().map(names).collect();
        players.sort_by_key(|(name, _)| name.to_string());
        let count = games.to_string();
        assert_eq!(players.len(), 2);
        assert!(
            players.iter().all(|(_, played)| *played == count.as_str()),
            "{players:?}"
        );
        server.kill();
    }
}
