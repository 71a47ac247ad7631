//! `gothello tablebase`, as the built program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;

use gothello::tablebase::PackedTablebase;

use super::subcommand::Subcommand;
use crate::executable::executable;
use crate::waiting::{Deadline, EndsInTime, OutputInTime, Pipe, wait_until};

pub(super) const COMMAND: Subcommand = Subcommand("tablebase");

/// The positions with up to 4 stones of the whole build.
fn small() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/common/tablebase")
}

/// The files in a folder and in those in it, by their names, with their content.
pub(super) fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = PathBuf::from(path.file_name().unwrap());
        if path.is_dir() {
            let inner = files(&path).into_iter();
            found.extend(inner.map(|(inner, bytes)| (name.join(inner), bytes)));
        } else {
            found.push((name, fs::read(path).unwrap()));
        }
    }
    found.sort();
    found
}

/// A folder with a copy of the small tablebase in `tb`.
pub(super) fn copy() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files(&small()) {
        let path = folder.path().join("tb").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    folder
}

/// Changes one byte of a file.
fn flip(path: &Path, place: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[place] ^= 1;
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_tablebase_is_described() {
    let folder = copy();
    fs::remove_dir_all(folder.path().join("tb/04")).unwrap();
    insta::assert_snapshot!(COMMAND.stdout(folder.path(), &["info", "tb"]), @"
    stones        positions  up to symmetry      won    drawn     lost
         4           202024           25810  64.86 %   2.09 %  33.06 %
         3            18392            2444  59.46 %   3.68 %  36.86 %  kept
         2             1200             183  74.00 %   0.00 %  26.00 %  kept
         1               50              12  58.00 %   0.00 %  42.00 %  kept
         0                1               1  100.00 %   0.00 %   0.00 %  kept
       all           221667           28450  64.46 %   2.21 %  33.34 %
    ");
    let json = COMMAND.stdout(folder.path(), &["info", "tb", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let layers = json["layers"].as_array().unwrap();
    let stones: Vec<_> = layers.iter().map(|layer| &layer["stones"]).collect();
    assert_eq!(stones, [4, 3, 2, 1, 0]);
    let kept: Vec<_> = layers.iter().map(|layer| &layer["kept"]).collect();
    assert_eq!(kept, [false, true, true, true, true]);
    insta::assert_snapshot!(layers[3], @r#"{"all":{"drawn":0,"lost":21,"positions":50,"values":{"-1":12,"-2":4,"-3":5,"1":4,"5":4,"7":8,"9":13},"won":29},"blocks":6,"crc32":"8dc52baf","kept":true,"stones":1,"up_to_symmetry":{"drawn":0,"lost":5,"positions":12,"values":{"-1":2,"-2":1,"-3":2,"1":1,"5":1,"7":2,"9":3},"won":7}}"#);
    let positions = &json["total"]["up_to_symmetry"]["positions"];
    assert_eq!(positions, &(25810 + 2444 + 183 + 12 + 1));
}

#[test]
fn a_whole_tablebase_is_verified() {
    let folder = copy();
    let arguments = ["verify", "tb", "--blocks", "40", "--positions", "10"];
    insta::assert_snapshot!(COMMAND.stdout(folder.path(), &arguments), @"
    0 stones: 1 block in 1 file, all checksums right
    1 stone: 6 blocks in 1 file, all checksums right
    2 stones: 49 blocks in 1 file, all checksums right
    3 stones: 319 blocks in 1 file, all checksums right
    4 stones: 1666 blocks in 1 file, all checksums right
    27 blocks computed again from the positions with one stone more
    0 positions solved
    there are no positions with 12 stones or more: --min-stones sets another limit
    ");
}

#[test]
fn layers_with_only_counts_left_are_reported() {
    let folder = copy();
    fs::remove_dir_all(folder.path().join("tb/02")).unwrap();
    let arguments = ["verify", "tb", "--blocks", "40", "--positions", "0"];
    insta::assert_snapshot!(COMMAND.stdout(folder.path(), &arguments), @"
    0 stones: 1 block in 1 file, all checksums right
    1 stone: 6 blocks in 1 file, all checksums right
    2 stones: only the numbers are there
    3 stones: 319 blocks in 1 file, all checksums right
    4 stones: 1666 blocks in 1 file, all checksums right
    21 blocks computed again from the positions with one stone more
    0 positions solved
    ");
}

#[test]
fn faults_are_found_and_reported() {
    let told = |damage: &dyn Fn(&Path)| {
        let folder = copy();
        damage(&folder.path().join("tb"));
        let arguments = ["verify", "tb", "--blocks", "400", "--positions", "0"];
        let output = COMMAND.run(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let lines = String::from_utf8(output.stdout).unwrap();
        let wrong = lines.lines().filter(|line| line.starts_with("wrong: "));
        let wrong = wrong.map(|line| format!("{line}\n")).collect::<String>();
        wrong + &String::from_utf8(output.stderr).unwrap()
    };
    // The blocks with 3 stones begin at byte 24, with 8 bytes each.
    let blocks = |tb: &Path| tb.join("03/000.blocks");
    let one = |damage: &dyn Fn(&Path)| {
        let told = told(damage);
        told.lines().next().unwrap().to_owned()
    };
    insta::assert_snapshot!(one(&|tb| flip(&blocks(tb), 24 + 8 * 17)), @"wrong: tb/03/000.blocks is damaged: the checksum of block 17 is wrong; delete it and run gothello tablebase build again");
    insta::assert_snapshot!(one(&|tb| flip(&blocks(tb), 14)), @"wrong: tb/03/000.blocks is damaged: it begins as a file of other blocks does; delete it and run gothello tablebase build again");
    insta::assert_snapshot!(one(&|tb| flip(&blocks(tb), 24 + 8 * 319 + 4 * 319 + 3)), @"wrong: tb/03/000.blocks is damaged: the checksum of its last part is wrong; delete it and run gothello tablebase build again");
    insta::assert_snapshot!(one(&|tb| {
        let bytes = fs::read(blocks(tb)).unwrap();
        fs::write(blocks(tb), &bytes[..3000]).unwrap();
    }), @"wrong: tb/03/000.blocks is damaged: it has 3000 bytes, not 4672; delete it and run gothello tablebase build again");
    insta::assert_snapshot!(told(&|tb| {
        let text = fs::read_to_string(tb.join("03.json")).unwrap();
        fs::write(tb.join("03.json"), text.replacen("[0,", "[1,", 1)).unwrap();
    }), @"
    wrong: tb/03.json is damaged: it does not agree with the files of the blocks; delete it and run gothello tablebase build again
    error: 1 problem found, listed above
    ");
    insta::assert_snapshot!(told(&|tb| fs::write(tb.join("02.json"), "{}").unwrap()), @"
    wrong: tb/02.json is damaged: missing field `stones` at line 1 column 2; delete it and run gothello tablebase build again
    error: 1 problem found, listed above
    ");
    // Numbers whose sum is too large for any number.
    insta::assert_snapshot!(told(&|tb| {
        let text = fs::read_to_string(tb.join("02.json")).unwrap();
        fs::write(tb.join("02.json"), text.replacen("[0,0,", "[18446744073709551615,1,", 1)).unwrap();
    }), @"
    wrong: tb/02.json is damaged: these are not 51 numbers of positions with a sum of at most 847288609443 at line 1 column 206; delete it and run gothello tablebase build again
    error: 1 problem found, listed above
    ");
    // A wrong value whose checksums are right.
    insta::assert_snapshot!(told(&|tb| {
        let mut bytes = fs::read(tb.join("00/000.blocks")).unwrap();
        bytes[24] += 1;
        let sum = crc32fast::hash(&bytes[24..25]).to_le_bytes();
        bytes[25..29].copy_from_slice(&sum);
        let end = bytes.len() - 4;
        let rest = [&bytes[..24], &bytes[25..end]].concat();
        bytes[end..].copy_from_slice(&crc32fast::hash(&rest).to_le_bytes());
        fs::write(tb.join("00/000.blocks"), bytes).unwrap();
        fs::remove_file(tb.join("00.json")).unwrap();
    }), @"
    wrong: tb/00/000.blocks is damaged: in block 0, values are not those that the positions with one more stone give; delete it and run gothello tablebase build again
    error: 1 problem found, listed above
    ");
}

#[test]
fn the_values_of_a_position_and_its_moves_are_printed() {
    let folder = copy();
    let probe =
        |arguments: &[&str]| COMMAND.stdout(folder.path(), &[&["probe", "tb"], arguments].concat());
    insta::assert_snapshot!(probe(&["--moves", "c3 c4"]), @"
    B+3
    best moves: b2 d2
      b2    B+3
      d2    B+3
      b3    B+2
      d3    B+2
      b4    B+2
      d4    B+2
      b5    B+2
      d5    B+2
      b1    B+1
      c1    B+1
      d1    B+1
      a2    B+1
      c2    B+1
      e2    B+1
      a3    B+1
      e3    B+1
      a4    B+1
      e4    B+1
      c5    B+1
      a1    W+1
      e1    W+1
      a5    W+1
      e5    W+1
      pass  W+3
    ");
    let start = probe(&[]);
    let best = "B+3\nbest moves: c2 b3 c3 d3 c4\n  c2    B+3\n";
    assert!(start.starts_with(best), "{start}");
    assert_eq!(start.lines().count(), 2 + 26, "{start}");
    // After a pass, another one ends the game.
    let after_pass = probe(&["...../...../..b../...../.....", "w", "pass"]);
    assert!(after_pass.contains("  pass  B+1\n"), "{after_pass}");

    // The value is available, but those of placements are not.
    let output = COMMAND.run(folder.path(), &["probe", "tb", "--moves", "c3 c4 b3 d3"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "B+3\n");
    insta::assert_snapshot!(String::from_utf8(output.stderr).unwrap(), @"error: the value is right, but the moves cannot be looked up: the positions with 5 stones are not there: build them, and keep them");
    insta::assert_snapshot!(COMMAND.error(folder.path(), &["probe", "tb", "--moves", "c3 c4 b3 d3 d4"], 1), @"error: the positions with 5 stones are not there: build them, and keep them");
    // An empty text is not a position.
    insta::assert_snapshot!(COMMAND.error(folder.path(), &["probe", "tb", ""], 2), @r#"error: position "": the board has 1 row: use rows 5 to 1 with / between them, as in ...../...../..b../...../..... w"#);
    // A damaged block is noticed.
    for place in 0..8 {
        flip(&folder.path().join("tb/01/000.blocks"), 24 + place);
    }
    insta::assert_snapshot!(COMMAND.error(folder.path(), &["probe", "tb"], 1), @"error: the value is right, but the moves cannot be looked up: tb/01/000.blocks is damaged: the checksum of block 0 is wrong; delete it and run gothello tablebase build again");
}

#[test]
fn remarkable_positions_are_found() {
    let folder = copy();
    insta::assert_snapshot!(COMMAND.stdout(folder.path(), &["survey", "tb", "--threads", "2"]), @"
    stones       positions  only moves  best passes  refused captures
         3           18392     38.15 %      0.000 %                 0
         2            1200     41.50 %      0.000 %                 0
         1              50     48.00 %      0.000 %                 0
         0               1      0.00 %      0.000 %                 0

    stones  most       positions  difference of best and worst move
         3    24               4  w..../...../...../....b/...b. b
         2    22              16  ...../...../..b../...../.b... b
         1     8              21  ...../...../...../...../.w... b
         0     6               1  ...../...../...../...../..... b

    stones  most       positions  difference of best and second best move
         3    15               4  w..../...../...../....b/...b. b
         2     9               8  ...../...../...../.b.../...b. b
         1     2               8  ...../...../...../...../.b... b
         0     0               1  ...../...../...../...../..... b

    stones  most       positions  stones by which a winner is behind
         3     1            1740  ...../...../...../...../wbw.. b
         1     1               4  ...../...../...../...../w.... b

    stones  most       positions  only moves in a row
         3     1            7016  ...../...../...../...../www.. b
         2     2              48  ...../...../...../w..../....w b
         1     1              24  ...../...../...../...../b.... b
         0     0               1  ...../...../...../...../..... b

    stones      open lines  refused capture
         3            7016  none
         2              48  none
         1               0  none
         0               0  none
    ");
    let json = COMMAND.stdout(folder.path(), &["survey", "tb", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    insta::assert_snapshot!(json["layers"][1], @r#"{"best_passes":{"all":0,"up_to_symmetry":0},"comeback":{"amount":0,"example":null,"positions":{"all":0,"up_to_symmetry":0}},"forced_line":{"amount":2,"example":"...../...../...../w..../....w b","positions":{"all":48,"up_to_symmetry":6}},"margin":{"amount":9,"example":"...../...../...../.b.../...b. b","positions":{"all":8,"up_to_symmetry":1}},"only_moves":{"all":498,"up_to_symmetry":69},"open_lines":{"all":48,"up_to_symmetry":6},"positions":{"all":1200,"up_to_symmetry":183},"refused_capture":null,"refused_captures":{"all":0,"up_to_symmetry":0},"stones":2,"swing":{"amount":22,"example":"...../...../..b../...../.b... b","positions":{"all":16,"up_to_symmetry":3}}}"#);

    // Wrong and missing values are noticed.
    flip(&folder.path().join("tb/02/000.blocks"), 24 + 4 * 20);
    insta::assert_snapshot!(COMMAND.error(folder.path(), &["survey", "tb"], 1), @"error: tb/02/000.blocks is damaged: the checksum of block 20 is wrong; delete it and run gothello tablebase build again");
    for stones in ["01", "03"] {
        fs::remove_dir_all(folder.path().join("tb").join(stones)).unwrap();
    }
    insta::assert_snapshot!(COMMAND.error(folder.path(), &["survey", "tb"], 1), @"error: a survey needs the positions with n stones and those with n + 1, and no two such layers are there: build them, and keep them");
}

#[test]
fn positions_with_few_stones_are_packed() {
    let folder = copy();
    insta::assert_snapshot!(COMMAND.stdout(folder.path(), &["pack", "tb", "packed", "--stones", "4"]), @"packed: all 221667 positions with up to 4 stones, 18588 bytes");
    let bytes = fs::read(folder.path().join("packed")).unwrap();
    assert_eq!(PackedTablebase::from_bytes(bytes).unwrap().stones(), 4);
    insta::assert_snapshot!(COMMAND.error(folder.path(), &["pack", "tb", "no/file", "--stones", "1"], 1), @"error: no/file cannot be written: there is no folder no");
}

#[test]
fn packing_replaces_nothing_of_value_unasked() {
    let folder = copy();
    let content = |name: &str| fs::read(folder.path().join(name)).unwrap();
    let pack = |name, stones, more: &[&'static str]| {
        [&["pack", "tb", name, "--stones", stones], more].concat()
    };
    // Files beside it are left unchanged.
    fs::write(folder.path().join("packed.test"), "notes").unwrap();
    COMMAND.stdout(folder.path(), &pack("packed", "3", &[]));
    assert_eq!(content("packed.test"), b"notes");
    let before = content("packed");
    insta::assert_snapshot!(COMMAND.error(folder.path(), &pack("packed", "2", &[]), 1), @"error: packed has all positions with up to 3 stones: --force replaces it with those up to 2");
    assert_eq!(content("packed"), before);
    COMMAND.stdout(folder.path(), &pack("packed", "2", &["--force"]));
    assert!(content("packed").len() < before.len());
    COMMAND.stdout(folder.path(), &pack("packed", "3", &[]));
    assert_eq!(content("packed"), before);
    insta::assert_snapshot!(COMMAND.error(folder.path(), &pack("packed.test", "3", &[]), 1), @"error: packed.test is not a packed tablebase: --force replaces it");
    insta::assert_snapshot!(COMMAND.error(folder.path(), &pack("tb", "3", &["--force"]), 1), @"error: tb cannot be written: it is a folder");
}

#[test]
fn a_packed_file_is_described_unless_it_is_damaged() {
    let folder = copy();
    COMMAND.stdout(folder.path(), &["pack", "tb", "packed", "--stones", "4"]);
    insta::assert_snapshot!(COMMAND.stdout(folder.path(), &["info", "packed"]), @"
    file: packed
    positions: all with up to 4 stones
    size: 18588 bytes
    CRC-32: bcd049f9
    ");
    insta::assert_snapshot!(COMMAND.stdout(folder.path(), &["info", "packed", "--json"]), @r#"{"file":"packed","stones":4,"bytes":18588,"crc32":"bcd049f9"}"#);
    let path = folder.path().join("packed");
    let bytes = fs::read(&path).unwrap();
    flip(&path, bytes.len() - 1);
    insta::assert_snapshot!(COMMAND.error(folder.path(), &["info", "packed"], 1), @"error: packed cannot be used: its checksum is wrong: copy or pack it again");
    fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    insta::assert_snapshot!(COMMAND.error(folder.path(), &["info", "packed"], 1), @"error: packed cannot be used: the file is damaged, or was not written or copied completely");
}

#[test]
fn a_packed_file_is_probed_and_verified() {
    let folder = copy();
    COMMAND.stdout(folder.path(), &["pack", "tb", "packed", "--stones", "4"]);
    let both = |arguments: &[&str]| {
        let [of_folder, of_file] = ["tb", "packed"]
            .map(|path| COMMAND.stdout(folder.path(), &[&["probe", path], arguments].concat()));
        assert_eq!(of_folder, of_file);
        of_file
    };
    both(&["--moves", "c3 c4"]);
    both(&["...../...../..b../...../.....", "w", "pass"]);
    insta::assert_snapshot!(both(&["--json", "...../.w.../..b../...b./.....", "w"]).get(..170).unwrap(), @r#"{"position":"...../.w.../..b../...b./..... w","value":"B+3","best_moves":["b1","d1","a2","b2","e2","a3","b3","c4","d4","e4","c5","d5"],"moves":[{"move":"b1","value":"B+3""#);
    let five = ["--moves", "c3 c4 b3 d3 d4"];
    insta::assert_snapshot!(COMMAND.error(folder.path(), &[&["probe", "packed"], &five[..]].concat(), 1), @"error: the file has the positions with up to 4 stones, not those with 5 stones");
    let output = COMMAND.run(
        folder.path(),
        &["probe", "packed", "--json", "--moves", "c3 c4 b3 d3"],
    );
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(String::from_utf8(output.stdout).unwrap(), @r#"{"position":"...../..w../.bbw./...../..... b","value":"B+3","best_moves":null,"moves":null}"#);

    insta::assert_snapshot!(COMMAND.stdout(folder.path(), &["verify", "packed"]), @r"
    221667 positions with up to 4 stones, the checksum is right
    100 positions compared with those after their moves
    ");
    // Wrong values with a right checksum.
    let path = folder.path().join("packed");
    let mut bytes = fs::read(&path).unwrap();
    let end = bytes.len() - 6000;
    for byte in bytes[end..].iter_mut().step_by(50) {
        *byte ^= 1;
    }
    let checksum = crc32fast::hash(&bytes[20..]);
    bytes[16..20].copy_from_slice(&checksum.to_le_bytes());
    fs::write(&path, bytes).unwrap();
    let error = COMMAND.error(folder.path(), &["verify", "packed"], 1);
    assert!(error.ends_with("pack it again"), "{error}");
}

#[test]
fn a_build_before_packing_is_announced() {
    let folder = copy();
    let told = |arguments: &[&str]| {
        let mut child = COMMAND.command(folder.path(), arguments).spawn().unwrap();
        let line = Pipe::new(child.stderr.take().unwrap()).line("what is built");
        child.kill().unwrap();
        child.wait_in_time();
        line.unwrap()
    };
    insta::assert_snapshot!(told(&["pack", "tb", "five", "--stones", "5", "--build"]), @"building missing layers first, by number of stones: 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5; this takes a 2-core machine about half an hour, and 35 GB of disk");
    // An existing layer is not built, and neither are layers that only it would need. (The folder
    // is another one: the killed build may have begun its first layer.)
    let folder = copy();
    for stones in ["01", "02"] {
        fs::remove_dir_all(folder.path().join("tb").join(stones)).unwrap();
    }
    let output = COMMAND.run(folder.path(), &["pack", "tb", "three", "--stones", "3"]);
    assert!(output.status.success(), "{output:?}");
    insta::assert_snapshot!(String::from_utf8(output.stderr).unwrap(), @"building missing layers first, by number of stones: 2, 1");
    assert!(files(&folder.path().join("tb")) == files(&small()));
}

#[test]
fn packing_begins_no_build_in_a_mistyped_folder() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("other")).unwrap();
    fs::write(folder.join("other/file"), "").unwrap();
    let before = files(folder);
    let error = |name| COMMAND.error(folder, &["pack", name, "packed", "--stones", "5"], 1);
    insta::assert_snapshot!(error("mistyped/tb"), @"error: mistyped/tb does not exist: --build builds one there, which takes a 2-core machine about half an hour, and 35 GB of disk");
    insta::assert_snapshot!(error("other"), @"error: other has other files, and no tablebase: --build builds one there, which takes a 2-core machine about half an hour, and 35 GB of disk");
    assert!(!folder.join("mistyped").exists());
    assert_eq!(files(folder), before);
}

/// The disk has one megabyte, and only the processes of this test see it.
#[test]
#[cfg(target_os = "linux")]
#[ignore = "mounts a disk: see .ci/run"]
fn packing_begins_no_build_that_fills_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("disk")).unwrap();
    let script = format!(
        "mount -t tmpfs -o size=1m tmpfs disk && {} tablebase pack disk packed --stones 5; \
         code=$?; ls disk; exit $code",
        executable(),
    );
    let mut unshare = Command::new("unshare");
    let output = unshare
        .args(["--map-root-user", "--mount", "sh", "-c", &script])
        .current_dir(folder.path())
        .output_in_time();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(output.stdout, b"", "nothing is on the disk");
    insta::assert_snapshot!(String::from_utf8(output.stderr).unwrap(), @"error: the build needs up to 34.7 GB of disk, and disk has 0.0 GB free: make room, or begin all the same with --build");
}

/// Building the missing parts takes too long for a test, so it is interrupted.
#[test]
#[cfg(unix)]
#[ignore = "takes a minute, unoptimized"]
fn missing_layers_are_built_before_packing() {
    let folder = copy();
    let arguments = [
        "pack",
        "tb",
        "five",
        "--stones",
        "5",
        "--threads",
        "1",
        "--build",
    ];
    let child = COMMAND.command(folder.path(), &arguments).spawn().unwrap();
    wait_until("the first layer", || folder.path().join("tb/24").exists());
    let mut kill = Command::new("kill");
    kill.args(["-INT", &child.id().to_string()]);
    assert!(kill.status().unwrap().success());
    let output = child.output_in_time();
    assert_eq!(output.status.code(), Some(1));
    // The program warns of a disk with little room.
    let told = String::from_utf8(output.stderr).unwrap();
    let told = told
        .lines()
        .filter(|line| !line.starts_with("warning: the build needs"));
    insta::assert_snapshot!(told.collect::<Vec<_>>().join("\n"), @"
    building missing layers first, by number of stones: 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5; this takes a 2-core machine about half an hour, and 35 GB of disk
    error: interrupted: the same command continues from here
    ");
    assert!(!folder.path().join("five").exists());
    let kept = files(&folder.path().join("tb"));
    assert!(files(&small()).iter().all(|file| kept.contains(file)));
}

#[test]
fn missing_layers_and_files_are_built() {
    let folder = copy();
    let tb = folder.path().join("tb");
    for stones in 0..4 {
        fs::remove_dir_all(tb.join(format!("0{stones}"))).unwrap();
        fs::remove_file(tb.join(format!("0{stones}.json"))).unwrap();
    }
    let built = COMMAND.stdout(folder.path(), &["build", "tb", "--stones", "3..0"]);
    assert_eq!(built.lines().count(), 4, "{built}");
    assert!(built.starts_with("3 stones: 18392 positions (2444 up to symmetry), 59.46 % won, "));
    assert!(files(&tb) == files(&small()));

    // One that is damaged and was deleted; nothing else is computed again.
    fs::remove_file(tb.join("02/000.blocks")).unwrap();
    let built = COMMAND.stdout(folder.path(), &["build", "tb", "--stones", "3..0"]);
    let before = built
        .lines()
        .filter(|line| line.ends_with(", built before"));
    assert_eq!(before.count(), 3, "{built}");
    assert!(files(&tb) == files(&small()));

    // Layers that are not kept are not missed unless a layer below needs them.
    let keep = ["build", "tb", "--stones", "3..0", "--keep", "0"];
    let built = COMMAND.stdout(folder.path(), &keep);
    assert_eq!(built.matches("built before").count(), 4, "{built}");
    // Layers that were kept before are not deleted.
    assert!(files(&tb) == files(&small()));
    for stones in 1..=4 {
        fs::remove_dir_all(tb.join(format!("0{stones}"))).unwrap();
    }
    let built = COMMAND.stdout(folder.path(), &keep);
    assert_eq!(built.matches("built before").count(), 4, "{built}");
    fs::remove_file(tb.join("00/000.blocks")).unwrap();
    insta::assert_snapshot!(COMMAND.error(folder.path(), &keep, 1), @"error: the positions with 4 stones are not there: build them, and keep them");
}

#[test]
fn a_build_stops_at_a_damaged_block() {
    let folder = copy();
    flip(&folder.path().join("tb/04/000.blocks"), 24 + 16 * 1000);
    fs::remove_dir_all(folder.path().join("tb/03")).unwrap();
    let build = ["build", "tb", "--stones", "3"];
    insta::assert_snapshot!(COMMAND.error(folder.path(), &build, 1), @"error: tb/04/000.blocks is damaged: the checksum of block 1000 is wrong; delete it and run gothello tablebase build again");
    assert_eq!(files(&folder.path().join("tb/03")), []);
}

#[test]
#[cfg(unix)]
fn a_full_disk_is_reported_with_the_file() {
    let folder = copy();
    fs::remove_dir_all(folder.path().join("tb/03")).unwrap();
    // No file may have more than 512 bytes.
    let script = format!(
        "trap '' XFSZ; ulimit -f 1; exec {} tablebase build tb --stones 3",
        executable()
    );
    let mut shell = Command::new("sh");
    let output = shell
        .args(["-c", &script])
        .current_dir(folder.path())
        .output_in_time();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    insta::assert_snapshot!(String::from_utf8(output.stderr).unwrap(), @"error: tb/03/000.blocks cannot be written: File too large (os error 27)");
    assert_eq!(files(&folder.path().join("tb/03")), []);
    COMMAND.stdout(folder.path(), &["build", "tb", "--stones", "3"]);
    assert!(files(&folder.path().join("tb")) == files(&small()));
}

#[test]
fn errors_about_wrong_arguments_say_what_would_be_right() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for shard in ["0/3", "4/3", "1", "1/0", "x/y", "1/2/3"] {
        // The second one is the name of the option in earlier versions.
        for option in ["--shard", "--share"] {
            let told = COMMAND.error(folder, &["build", "tb", option, shard], 2);
            let right = "give the number of the part and the number of parts, such as 3/8";
            assert!(told.ends_with(right), "{told}");
        }
    }
    for stones in ["3..9", "25", "25..9", "x", "9..", "..9", "24-9", ""] {
        let told = COMMAND.error(folder, &["build", "tb", "--stones", stones], 2);
        let right = "give numbers of stones from 24 to 0, such as 24..9 or 17";
        assert!(told.ends_with(right), "{told}");
    }
    assert_eq!(files(folder), []);
    fs::write(folder.join("file"), "").unwrap();
    fs::create_dir(folder.join("empty")).unwrap();
    insta::assert_snapshot!(COMMAND.error(folder, &["build", "file", "--stones", "24"], 1), @"error: file is not a folder");
    insta::assert_snapshot!(COMMAND.error(folder, &["build", "empty", "--stones", "17"], 1), @"error: the positions with 18 stones are not there: build them, and keep them");
    insta::assert_snapshot!(COMMAND.error(folder, &["info", "file"], 1), @r#"error: file cannot be used: this is not a packed tablebase: it does not begin with "gothpack""#);
    insta::assert_snapshot!(COMMAND.error(folder, &["verify", "none"], 1), @"error: none is not a folder: give the folder of a tablebase");
    insta::assert_snapshot!(COMMAND.error(folder, &["probe", "empty"], 1), @"error: empty has no tablebase: build one with gothello tablebase build");
    insta::assert_snapshot!(COMMAND.error(folder, &["pack", "empty", "packed", "--stones", "16"], 2), @"error: invalid value '16' for '--stones <N>': give a whole number from 0 to 15");
    insta::assert_snapshot!(COMMAND.error(folder, &["pack", "file", "packed"], 1), @"error: file is not a folder");
}

/// Starts a build with one thread, and waits until it has written this number of files.
fn start(folder: &Path, name: &str, stones: &str, count: usize) -> Child {
    let arguments = ["build", name, "--stones", stones, "--threads", "1"];
    let child = COMMAND.command(folder, &arguments).spawn().unwrap();
    let is_there = || {
        let folder = folder.join(name);
        let found = folder.exists().then(|| names(&folder));
        found.is_some_and(|names| {
            names.iter().filter(|name| name.ends_with("blocks")).count() >= count
        })
    };
    let nothing = || format!("{:?}", names(&folder.join(name)));
    let deadline = Deadline::within(Duration::from_secs(120));
    deadline.wait_for(&format!("{count} files"), nothing, || {
        is_there().then_some(())
    });
    child
}

/// Starts a build, and stops it while it writes a file.
fn start_and_stop(folder: &Path, name: &str, stones: &str) -> Child {
    let is_locked = |path: PathBuf| {
        let file = fs::File::open(path);
        file.is_ok_and(|file| matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock)))
    };
    let is_writing = || {
        let layers = fs::read_dir(folder.join(name)).unwrap().flatten();
        let files = layers.filter_map(|layer| fs::read_dir(layer.path()).ok());
        let mut paths = files.flatten().flatten().map(|file| file.path());
        paths.any(|path| path.extension().is_some_and(|end| end == "new") && is_locked(path))
    };
    // On a busy machine, a build can be complete before it is stopped: then it starts over.
    for _ in 0..10 {
        let mut child = start(folder, name, stones, 1);
        while child.try_wait().unwrap().is_none() {
            signal(&child, "-STOP");
            if is_writing() {
                return child;
            }
            signal(&child, "-CONT");
        }
        fs::remove_dir_all(folder.join(name)).unwrap();
    }
    panic!("no build was stopped in time");
}

/// Sends a signal to a process.
fn signal(child: &Child, signal: &str) {
    let mut kill = Command::new("kill");
    kill.args([signal, &child.id().to_string()]);
    assert!(kill.status().unwrap().success());
}

/// The names of the files in the folders of a folder.
fn names(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if let Ok(inner) = fs::read_dir(entry.path()) {
            let inner = inner
                .flatten()
                .map(|file| file.file_name().into_string().unwrap());
            names.extend(inner);
        }
    }
    names
}

/// Asserts that a tablebase has this many layers, those with the most stones, and that each has
/// the checksum and the numbers of the published census.
fn assert_census(folder: &Path, tablebase: &str, layers: usize) {
    let found = COMMAND.stdout(folder, &["info", tablebase, "--json"]);
    let found: serde_json::Value = serde_json::from_str(&found).unwrap();
    assert_eq!(found["layers"].as_array().unwrap().len(), layers);
    let census = include_str!("../../docs/src/tablebase-census.json");
    let census: serde_json::Value = serde_json::from_str(census).unwrap();
    for number in 0..layers {
        let (found, expected) = (&found["layers"][number], &census["layers"][number]);
        for key in ["stones", "blocks", "crc32", "all", "up_to_symmetry"] {
            assert_eq!(found[key], expected[key], "{key}");
        }
    }
}

#[test]
#[ignore = "takes minutes, unoptimized"]
fn a_killed_build_continues_and_shards_in_any_order_give_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // Killed with one file of the first layer, and with some of the second. On a busy machine, a
    // build can be complete before it is killed: then everything starts over.
    let is_complete = || folder.join("killed/23.json").exists();
    for attempt in 1.. {
        assert!(attempt <= 10, "no build was killed in time");
        for count in [1, 5, 9] {
            let mut child = start(folder, "killed", "24..23", count);
            child.kill().unwrap();
            child.wait_in_time();
        }
        if !is_complete() {
            break;
        }
        fs::remove_dir_all(folder.join("killed")).unwrap();
    }
    COMMAND.stdout(
        folder,
        &[
            "build",
            "killed",
            "--stones",
            "24..23",
            "--threads",
            "1",
            "--keep",
            "24",
        ],
    );
    assert_census(folder, "killed", 2);
    let whole = files(&folder.join("killed"));
    let is_same = |name: &str| files(&folder.join(name)) == whole;

    let shard = |stones: &str, shard: &str| {
        let arguments = [
            "build", "shards", "--stones", stones, "--shard", shard, "--keep", "24",
        ];
        COMMAND.stdout(folder, &arguments)
    };
    insta::assert_snapshot!(shard("24..23", "3/3"), @"24 stones: this shard is complete, 2 files of other shards missing");
    // The next layer has to wait.
    let early = ["build", "shards", "--stones", "23", "--shard", "1/3"];
    insta::assert_snapshot!(COMMAND.error(folder, &early, 1), @"error: the positions with 24 stones are not there: build them, and keep them");
    insta::assert_snapshot!(shard("24", "1/3"), @"24 stones: this shard is complete, 1 file of other shards missing");
    shard("24", "2/3");
    shard("23", "2/3");
    shard("23", "3/3");
    shard("23", "1/3");
    assert!(is_same("shards"));

    // Two builds that are not told to divide the work do not disturb each other.
    let mut first = start_and_stop(folder, "twice", "24..23");
    let second = ["build", "twice", "--stones", "24..23", "--threads", "1"];
    let second = COMMAND.run(folder, &second);
    let told = String::from_utf8(second.stderr).unwrap();
    let expected = "another process builds the same files: give each its own --shard\n";
    assert!(told.ends_with(expected), "{told}");
    signal(&first, "-CONT");
    assert!(first.wait_in_time().success());
    COMMAND.stdout(
        folder,
        &["build", "twice", "--stones", "24..23", "--keep", "24"],
    );
    assert!(is_same("twice"));
}

#[test]
#[ignore = "takes minutes and 5 GB of disk"]
fn the_layers_with_most_stones_are_those_of_the_census() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    COMMAND.stdout(folder, &["build", "top", "--stones", "24..22"]);
    assert_census(folder, "top", 3);
    COMMAND.stdout(
        folder,
        &["verify", "top", "--blocks", "5", "--positions", "50"],
    );
}
