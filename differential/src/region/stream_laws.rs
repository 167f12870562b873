//! What goes round on an edge: parcels come back to be filled again, few of them, and readers get what they would anyway.

use std::rc::Rc;

use super::NodeId;
use super::stream::{Input, Output, Stream};
use super::wakes::Wakes;

type Numbers = Vec<u32>;

fn edge() -> (Output<Numbers>, Stream<Numbers>) {
    Output::new(NodeId(0), 1, Rc::new(Wakes::default()))
}

fn reader(stream: &Stream<Numbers>, node: u32) -> Input<Numbers> {
    stream.connect(NodeId(node), None)
}

fn all(input: &Input<Numbers>) -> Vec<Numbers> {
    std::iter::from_fn(|| input.next()).collect()
}

#[test]
fn a_parcel_comes_back_with_its_buffer() {
    let (output, stream) = edge();
    let input = reader(&stream, 1);
    output.send(vec![1, 2, 3]);
    let mut parcel = input.take().expect("it was sent");
    let numbers = (*parcel).as_mut().expect("and is full");
    let buffer = numbers.as_ptr();
    numbers.clear();
    input.give_back(parcel);

    let mut filled = vec![4];
    output.send_from(&mut filled, || panic!("there is one to fill again"));
    assert_eq!((filled.len(), filled.as_ptr()), (0, buffer));
    assert_eq!(all(&input), [[4]]);
    assert_eq!(output.reclaim(), Some(Box::new(None)), "what was in it was taken out");
}

#[test]
fn only_so_many_parcels_wait_to_be_filled_again() {
    let (output, stream) = edge();
    let input = reader(&stream, 1);
    (0..10).for_each(|number| output.send(vec![number]));
    assert_eq!(all(&input).len(), 10);
    assert_eq!(std::iter::from_fn(|| output.reclaim()).count(), super::stream::SPARES);
}

#[test]
fn all_readers_get_the_same_and_keep_their_own_buffers() {
    let (output, stream) = edge();
    let inputs = [reader(&stream, 1), reader(&stream, 2), reader(&stream, 3)];
    for round in 0..3 {
        output.send(vec![round, 7]);
        for input in &inputs {
            let mut parcel = input.take().expect("everyone is sent it");
            assert_eq!((*parcel).as_deref(), Some(&[round, 7][..]));
            assert!(input.is_empty());
            (*parcel).iter_mut().for_each(Vec::clear);
            input.give_back(parcel);
        }
    }
    let [first, second, third] = inputs;
    drop((first, third));
    output.send(vec![9]);
    assert_eq!(all(&second), [[9]]);
    drop(second);
    output.send(vec![10]);
    assert!(!output.has_subscribers() && output.reclaim().is_none());
}
