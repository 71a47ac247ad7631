//! A person at a terminal, through pipes.

use crate::go_messages::{end, invalid, moved, played, start, valid};
use crate::goplay::server::Server;

#[test]
fn a_person_plays_a_game() {
    let server = Server::new();
    let (mut human, mut peer) = server.client(&["--human", "--games", "1"]);
    human.types("what\nhelp\nc3\n");
    peer.says(&start(5, &[], "B"));
    assert_eq!(peer.hears_move(), played("2,2"));
    peer.says(&valid());
    peer.says(&moved("1,1"));
    human.types("b4\n\n1,2\n");
    assert_eq!(peer.hears_move(), played("1,2"));
    peer.says(&invalid());
    human.types("1,2\n3,3\n");
    assert_eq!(peer.hears_move(), played("3,3"));
    peer.says(&valid());
    peer.says(&end("timeout", "W"));
    let done = human.wait();
    done.is_well("lost as Black: W+T by timeout, B 25, W 6.5, 3 moves\n");
    let (_, rest) = done.err.split_once("you are Black (X)").unwrap();
    insta::assert_snapshot!(rest);
}

#[test]
fn the_end_of_the_input_leaves_the_game() {
    let server = Server::new();
    let (mut human, mut peer) = server.client(&["--human"]);
    human.close_input();
    peer.says(&start(5, &[], "W"));
    peer.pings();
    peer.says(&moved("1,1"));
    peer.is_left();
    let done = human.wait();
    insta::assert_snapshot!(done.failure(), @"the input ended before the game was over; the game has not been resigned: start again to go on with it");
}
