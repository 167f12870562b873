//! Algorithms on the graphs of `data/`, against the answers there, which others computed.

use std::path::PathBuf;

use serde_json::Value;

use differential::algorithms::{self, Dangling, PageRank, RANK_UNITS};
use differential::collection::Collection;
use differential::column::{Data, ShapeOf};
use differential::{Config, Error, run_alone};

type Edge = (u32, u32);

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../data").join(name)
}

fn json(name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(file(name)).expect("it is there")).expect("it is JSON")
}

/// The edges of a data set, in the order of its rows.
fn edges(name: &str) -> Vec<Edge> {
    let text = zstd::decode_all(std::fs::File::open(file(name)).expect("it is there")).expect("it is compressed");
    let number = |field: Option<&str>| field.and_then(|field| field.parse().ok()).expect("a number");
    let rows = String::from_utf8(text).expect("it is text");
    rows.lines().map(|row| row.split('\t')).map(|mut row| (number(row.next()), number(row.next()))).collect()
}

/// What a program answers after each step, as rows with their counts; a step is the rows of the input to keep.
fn steps<I: Data, D: Data>(
    rows: &[I],
    keeps: &[fn(usize) -> bool],
    program: impl FnOnce(&Collection<I>) -> Collection<D>,
) -> Vec<Vec<(D, i64)>>
where
    ShapeOf<I>: Default,
{
    let answers = run_alone(Config::default(), |worker| {
        let (mut session, output) = worker.dataflow(|scope| {
            let (session, collection) = scope.input("rows");
            (session, program(&collection).output())
        })?;
        let (mut present, mut answers) = (vec![false; rows.len()], Vec::new());
        for keep in keeps {
            for (index, row) in rows.iter().enumerate() {
                session.update(row.clone(), i64::from(keep(index)) - i64::from(present[index]));
                present[index] = keep(index);
            }
            worker.commit(&mut session)?;
            answers.push(output.rows()?);
        }
        Ok::<_, Error>(answers)
    });
    answers.expect("nothing in it fails")
}

fn once<I: Data, D: Data>(rows: &[I], program: impl FnOnce(&Collection<I>) -> Collection<D>) -> Vec<D>
where
    ShapeOf<I>: Default,
{
    let [rows] = &mut steps(rows, &[|_| true], program)[..] else { panic!("one step, one answer") };
    rows.drain(..).map(|(row, _)| row).collect()
}

/// The steps that `update_plan.text` of the expected answers describes.
const UPDATE_PLAN: [fn(usize) -> bool; 5] =
    [|_| true, |index| index % 10 != 3, |index| index % 10 != 7, |index| index % 2 == 0, |_| true];

#[test]
fn triangles_follow_an_update_plan() {
    let edges = edges("p2p-gnutella08.tsv.zst");
    let counts = steps(&edges, &UPDATE_PLAN, |edges| algorithms::triangles(edges).map(|_| ()).count());
    let expected = &json("expected/p2p-gnutella08.json")["update_plan"]["steps"];
    for (step, rows) in counts.iter().enumerate() {
        let [(((), count), 1)] = rows[..] else { panic!("step {step}: {rows:?}") };
        assert_eq!(expected[step]["triangles"], count, "step {step}");
    }
}

#[test]
fn the_innermost_cores_have_the_right_sizes() {
    for name in ["p2p-gnutella08", "email-eu-core", "oldenburg"] {
        let core = &json(&format!("expected/{name}.json"))["core"];
        let edges = edges(&format!("{name}.tsv.zst"));
        let most = core["max_core"].as_u64().expect("a number") as u32;
        assert_eq!(core["nodes_in_max_core"], once(&edges, |edges| algorithms::k_core(edges, most)).len(), "{name}");
        assert_eq!(once(&edges, |edges| algorithms::k_core(edges, most + 1)).len(), 0, "{name}");
    }
}

#[test]
fn paths_and_generations_of_a_road_network() {
    let (edges, expected) = (edges("oldenburg.tsv.zst"), json("expected/oldenburg.json"));
    assert_eq!(expected["transitive_closure_size"], once(&edges, algorithms::transitive_closure).len());
    assert_eq!(expected["published"]["same_generation_size"], once(&edges, algorithms::same_generation).len());
    // There are no cycles in it: every node has a level, and every edge leads to a higher one.
    let levels: std::collections::BTreeMap<u32, u64> = once(&edges, algorithms::levels).into_iter().collect();
    assert_eq!(expected["basic"]["nodes"], levels.len());
    assert!(edges.iter().all(|(source, target)| levels[source] < levels[target]));
}

/// Whether each rank is what is expected, as a part of all, within a relative error of a ten-thousandth.
fn assert_ranks(name: &str, ranks: &[(u32, i64)], expected: &Value) {
    let all = RANK_UNITS as f64 * ranks.len() as f64;
    for row in expected.as_array().expect("ranks") {
        let (node, expected) = (row[0].as_u64().expect("a node"), row[1].as_f64().expect("a rank"));
        let at = ranks.binary_search_by_key(&(node as u32), |(node, _)| *node).expect("a node of the graph");
        let rank = ranks[at].1 as f64 / all;
        assert!((rank - expected).abs() <= expected / 10_000.0, "{name}: node {node} has {rank}, expected {expected}");
    }
}

#[test]
fn the_first_ranks_of_hosts() {
    let expected = &json("expected/p2p-gnutella08.json")["pagerank"];
    let rounds = expected["iterations"].as_u64().expect("a number");
    let options = PageRank { rounds, damping_percent: 85, dangling: Dangling::Spread };
    let ranks = once(&edges("p2p-gnutella08.tsv.zst"), |edges| algorithms::pagerank(edges, options));
    assert_ranks("p2p-gnutella08", &ranks, &expected["top10"]);
}

/// Pairs of a node and a number.
fn pairs(answer: &Value) -> Vec<(u32, u64)> {
    let number = |value: &Value| value.as_u64().expect("a number");
    answer.as_array().into_iter().flatten().map(|row| (number(&row[0]) as u32, number(&row[1]))).collect()
}

#[test]
fn graphalytics() {
    let graphs = json("graphalytics.json");
    let mut looked_at = 0;
    for case in graphs["cases"].as_array().expect("cases") {
        let (name, answers) = (case["name"].as_str().expect("a name"), &case["answers"]);
        let number = |value: &Value| value.as_u64().expect("a number") as u32;
        let given: Vec<(u32, (u32, u32))> = case["edges"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|edge| (number(&edge[0]), (number(&edge[1]), number(&edge[2]))))
            .collect();
        // Where direction does not matter, paths and ranks go both ways.
        let turned = given.iter().filter(|_| case["directed"] == false).map(|(a, (b, weight))| (*b, (*a, *weight)));
        let ways: Vec<(u32, (u32, u32))> = given.iter().copied().chain(turned).collect();
        let plain = |edges: &Collection<(u32, (u32, u32))>| edges.map(|(a, (b, _))| (a, b));
        let root = |edges: &Collection<(u32, (u32, u32))>| {
            let source = number(&case["source"]);
            edges.map(move |_| source).distinct()
        };
        for (algorithm, expected) in answers.as_object().expect("answers") {
            let made: Vec<(u32, u64)> = match &algorithm[..] {
                "bfs" => once(&ways, |edges| {
                    algorithms::bfs(&plain(edges), &root(edges)).map(|(node, hops)| (node, u64::from(hops)))
                }),
                "shortest_paths" => once(&ways, |edges| algorithms::shortest_paths(edges, &root(edges))),
                "components" => once(&given, |edges| {
                    algorithms::components(&plain(edges)).map(|(node, least)| (node, u64::from(least)))
                }),
                "communities" => once(&given, |edges| {
                    let rounds = u64::from(number(&case["communities_rounds"]));
                    algorithms::communities(&plain(edges), rounds).map(|(node, label)| (node, u64::from(label)))
                }),
                "pagerank" => {
                    let rounds = u64::from(number(&case["pagerank_rounds"]));
                    let options = PageRank { rounds, damping_percent: 85, dangling: Dangling::Spread };
                    let ranks = once(&ways, |edges| algorithms::pagerank(&plain(edges), options));
                    assert_ranks(name, &ranks, expected);
                    looked_at += 1;
                    continue;
                }
                other => panic!("{name}: no algorithm is called {other}"),
            };
            assert_eq!(made, pairs(expected), "{name}: {algorithm}");
            looked_at += 1;
        }
    }
    assert_eq!(looked_at, 15, "five answers of each example, and one of each other graph");
}
