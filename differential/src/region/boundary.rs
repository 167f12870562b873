//! Streams of timely enter a region and leave it: one operator of timely with ports, beside the region's own.
//!
//! ```text
//!   timely's dataflow     ──stream──> ╔═ crossing ═╗ ──stream──>          messages, frontiers, capabilities
//!                                     ║  entering  ║
//!                                     ║  leaving   ║
//!                                     ╚═│════════▲═╝
//!   the region              entry <─────┘        └───── exit              nodes like all others
//!                             └──> ... nodes ... ──────┘
//! ```
//!
//! A region can't get ports after it was made, and its dataflows come and go. So a boundary is an operator of its own, made
//! in the user's scope with as many ports as are asked for until that scope is finished, and tied to the region by
//! queues. When timely schedules it, it takes what came, lets the region run, and hands out what that left behind: the
//! way in and out is one activation, as if the ports were the region's.
//!
//! Two ways to leave, for one thing must be true: *timely never believes a time complete that the region may still
//! speak at*.
//!
//! | | [`Mode::Held`] | [`Mode::Full`] |
//! |---|---|---|
//! | summary to the output | what the paths from each input do to times | none |
//! | capabilities there | what the region holds before the exit (`boundary_holds`) | the frontier of the exit |
//! | a frontier passes | with timely's own propagation | when the crossing is scheduled |
//! | on a cycle of timely | fine | **never**: it would go round one step at a time for ever |
//! | an exchange on the way in the region | **never**: refused | fine |
//!
//! Why no held way through an exchange: worker A takes in an update at 3 and sends it to B, where it leaves. B holds
//! nothing for 3 in timely, and what A tells others (3 is consumed) and what B tells (something produced at 3) travel on
//! different channels, so that a third worker may hear A first and believe 3 complete. In full mode B holds 3 from the
//! beginning.
//!
//! What is said when. Produced counts at once. Capabilities of a full output follow the exit's frontier, behind what the
//! exit has sent. Held ones, and the counts of what was consumed, wait until no node before a held exit has work: then
//! the holds are the truth, and consumed, produced and changed capabilities go to timely in the same report. Until then
//! the messages not reported and the capabilities of before stand for everything inside.
//!
//! After a failure on the way to an exit its output stays where it is, so that timely takes nothing for complete that
//! is not. When nobody can build in the region any more (and so nobody can ask for the failure), it is let go, and the
//! dataflow can end. Tested in `collection/boundary_laws.rs`.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use timely::dataflow::channels::pact::{ParallelizationContract, Pipeline};
use timely::dataflow::channels::{Message, Stamp, pullers, pushers};
use timely::dataflow::{Scope, Stream as Outside};
use timely::progress::frontier::MutableAntichain;
use timely::progress::operate::{Connectivity, FrontierInterest, PortConnectivityBuilder, SharedProgress};
use timely::progress::{Antichain, ChangeBatch, Operate, Source, Target};
use timely::scheduling::{Activations, Schedule};

use super::boundary_holds::{Outlook, exchange_between};
use super::boundary_ports::{Caller, Entering, Entry, Exit, Leaving};
use super::boundary_time::OuterTime;
use super::{Fuel, NodeId, Region, SlotRule, Stream, Waker};
use crate::error::{Error, Fault};
use crate::time::{Frontier, Point};

/// How timely learns of what may still leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// By summaries of the paths through the region, and capabilities for what is inside. No exchange on the way.
    Held,
    /// By capabilities alone. Not on a cycle of timely.
    Full,
}

/// What a region tells the boundaries on it.
pub(super) struct Surroundings {
    /// What an activation may spend.
    pub(super) fuel_units: Cell<u64>,
    /// Whether nobody can build here any more.
    pub(super) deserted: Cell<bool>,
    callers: RefCell<Vec<Caller>>,
}

impl Surroundings {
    pub(super) fn new() -> Self {
        let fuel_units = Cell::new(u64::MAX);
        Surroundings { fuel_units, deserted: Cell::new(false), callers: RefCell::default() }
    }

    /// Nobody can build here any more.
    pub(super) fn desert(&self) {
        self.deserted.set(true);
        self.callers.borrow().iter().for_each(Caller::call);
    }
}

/// The timely side of an entry.
trait Intake<T> {
    /// Takes what timely brought; whether it was something.
    fn pull(&mut self, consumed: &mut ChangeBatch<T>) -> bool;
    fn advance(&self, frontier: Frontier<Point>);
    fn cut_off(&self);
}

struct In<T, U, P> {
    puller: pullers::Counter<T, Vec<U>, P>,
    entering: Rc<RefCell<Entering<U>>>,
}

impl<T, U, P> Intake<T> for In<T, U, P>
where
    T: OuterTime,
    U: 'static,
    P: timely::communication::Pull<Message<T, Vec<U>>>,
{
    fn pull(&mut self, consumed: &mut ChangeBatch<T>) -> bool {
        let queue = &mut self.entering.borrow_mut().queue;
        let mut any = false;
        while let Some(message) = self.puller.next() {
            queue.push_back(std::mem::take(&mut message.data));
            any = true;
        }
        if Rc::strong_count(&self.entering) == 1 {
            // The entry is gone, or has stopped.
            queue.clear();
        }
        self.puller.consumed().borrow_mut().drain_into(consumed);
        any
    }

    fn advance(&self, frontier: Frontier<Point>) {
        self.entering.borrow_mut().frontier = frontier;
    }

    fn cut_off(&self) {
        let entering = &mut *self.entering.borrow_mut();
        entering.cut_off = !entering.frontier.is_empty();
    }
}

struct InPort<T: OuterTime> {
    entry: NodeId,
    waker: Waker,
    intake: Box<dyn Intake<T>>,
    frontier: MutableAntichain<T>,
    /// Consumed, and not yet told.
    consumed: ChangeBatch<T>,
}

/// The timely side of an exit.
trait Outlet<T> {
    /// Hands what is ready to timely.
    fn send(&mut self, produced: &mut ChangeBatch<T>);
    /// The frontier that the exit saw last.
    fn frontier(&self) -> Frontier<Point>;
    fn is_gone(&self) -> bool;
}

struct Out<T: OuterTime, U> {
    pusher: pushers::Counter<T, pushers::Tee<T, Vec<U>>>,
    leaving: Rc<RefCell<Leaving<T, U>>>,
}

impl<T: OuterTime, U: Clone + 'static> Outlet<T> for Out<T, U> {
    fn send(&mut self, produced: &mut ChangeBatch<T>) {
        let ready = std::mem::take(&mut self.leaving.borrow_mut().ready);
        let any = !ready.is_empty();
        for (time, mut updates) in ready {
            Message::push_at(&mut updates, Stamp::from_elem(time), &mut self.pusher);
        }
        if any {
            timely::communication::Push::done(&mut self.pusher);
            self.pusher.produced().borrow_mut().drain_into(produced);
        }
    }

    fn frontier(&self) -> Frontier<Point> {
        self.leaving.borrow().frontier.clone()
    }

    fn is_gone(&self) -> bool {
        self.leaving.borrow().gone
    }
}

struct OutPort<T> {
    exit: NodeId,
    mode: Mode,
    outlet: Box<dyn Outlet<T>>,
    /// Made when it is first needed, for a held output.
    outlook: Option<Outlook>,
    /// The capabilities that timely knows of.
    said: Vec<T>,
}

/// What is known of an output between two reports.
enum Standing {
    /// What may still leave.
    Open(Frontier<Point>),
    /// Work is left before the exit.
    Working,
    /// Something before the exit has stopped, for good.
    Stuck,
}

struct Ports<T: OuterTime> {
    inputs: Vec<InPort<T>>,
    outputs: Vec<OutPort<T>>,
    /// The scope is finished: no ports can be added.
    fixed: bool,
}

/// A boundary between a region and a scope of timely, while the scope is built.
pub struct Crossing<'scope, T: OuterTime> {
    outside: Scope<'scope, T>,
    index: usize,
    address: Rc<[usize]>,
    region: Region,
    caller: Caller,
    ports: Rc<RefCell<Ports<T>>>,
}

impl<'scope, T: OuterTime> Crossing<'scope, T> {
    /// A boundary without ports, in `outside`.
    pub fn new(region: &Region, outside: Scope<'scope, T>) -> Self {
        let slot = outside.reserve_operator();
        let (index, address) = (slot.index(), slot.addr());
        let ports = Rc::new(RefCell::new(Ports { inputs: Vec::new(), outputs: Vec::new(), fixed: false }));
        let running = Rc::new(Cell::new(false));
        let caller = Caller { activator: outside.activator_for(Rc::clone(&address)), running };
        region.surroundings().callers.borrow_mut().push(caller.clone());
        slot.install(Box::new(Operator {
            address: Rc::clone(&address),
            activations: outside.activations(),
            peers: outside.peers(),
            region: region.clone(),
            caller: caller.clone(),
            ports: Rc::clone(&ports),
            progress: Rc::new(RefCell::new(SharedProgress::new(0, 0))),
            interest: OnceCell::new(),
        }));
        Crossing { outside, index, address, region: region.clone(), caller, ports }
    }

    /// A stream of timely as one of the region. `change` makes a container of its updates; what comes is to be in
    /// advance of the frontier that it is given, and is refused otherwise.
    ///
    /// # Panics
    /// Outside of [`Region::build`], and when the scope is finished.
    pub fn enter<U: Clone + 'static, C: Clone + 'static>(
        &self,
        name: &str,
        stream: Outside<'scope, T, Vec<U>>,
        change: impl FnMut(Vec<U>, &Frontier<Point>) -> Result<C, Fault> + 'static,
    ) -> Stream<C> {
        let worker = self.outside.worker();
        let inputs = &mut self.open().inputs;
        let channel = worker.new_identifier();
        let (pusher, puller) = Pipeline.connect(worker, channel, Rc::clone(&self.address), worker.logging());
        stream.connect_to(Target::new(self.index, inputs.len()), pusher, channel);

        let entry = self.region.reserve(name, self.region.input_coordinates(), SlotRule::Source);
        let (output, entered) = self.region.output(entry);
        let entering = Entering { queue: VecDeque::new(), frontier: Frontier::minimum(), cut_off: false };
        let entering = Rc::new(RefCell::new(entering));
        let node = Entry { entering: Rc::clone(&entering), output, said: Frontier::minimum(), change };
        self.region.install(entry, node);
        inputs.push(InPort {
            entry,
            waker: self.region.waker(entry),
            intake: Box::new(In { puller: pullers::Counter::new(puller), entering }),
            frontier: MutableAntichain::new(),
            consumed: ChangeBatch::new(),
        });
        entered
    }

    /// A stream of the region as one of timely. `change` sorts the updates of a container by time. Also answers with
    /// the exit's node, for [`Crossing::check`].
    ///
    /// # Panics
    /// Outside of [`Region::build`], and when the scope is finished.
    pub fn leave<U: Clone + 'static, C: Clone + 'static>(
        &self,
        name: &str,
        stream: &Stream<C>,
        mode: Mode,
        change: impl FnMut(C, &mut BTreeMap<T, Vec<U>>) -> Result<(), Fault> + 'static,
    ) -> (Outside<'scope, T, Vec<U>>, NodeId) {
        let outputs = &mut self.open().outputs;
        let (tee, readers) = pushers::Tee::new();
        let left = Outside::new(Source::new(self.index, outputs.len()), readers, self.outside);

        let exit = self.region.reserve(name, stream.depth(), SlotRule::Shared);
        let input = self.region.connect(exit, stream);
        self.region.watch(exit);
        let leaving = Leaving { ready: BTreeMap::new(), frontier: Frontier::minimum(), gone: false };
        let leaving = Rc::new(RefCell::new(leaving));
        self.region.install(exit, Exit { input, leaving: Rc::clone(&leaving), caller: self.caller.clone(), change });
        outputs.push(OutPort {
            exit,
            mode,
            outlet: Box::new(Out { pusher: pushers::Counter::new(tee), leaving }),
            outlook: None,
            said: vec![T::minimum()],
        });
        (left, exit)
    }

    /// What can be asked once the region's dataflow is built: whether `exit` may be held.
    pub fn check(&self, exit: NodeId) -> impl FnOnce() -> Result<(), Error> + use<T> {
        let (region, ports) = (self.region.clone(), Rc::clone(&self.ports));
        move || {
            let entries: Vec<NodeId> = ports.borrow().inputs.iter().map(|input| input.entry).collect();
            let state = region.core.state.borrow();
            let Some(exchange) = exchange_between(&state.graph, &entries, exit) else { return Ok(()) };
            Err(Error::Held { output: state.graph[exit].name.to_string(), exchange })
        }
    }

    fn open(&self) -> std::cell::RefMut<'_, Ports<T>> {
        let ports = self.ports.borrow_mut();
        assert!(!ports.fixed, "a boundary gets its ports while the scope of timely is built");
        ports
    }
}

/// The operator of timely.
struct Operator<T: OuterTime> {
    address: Rc<[usize]>,
    activations: Rc<RefCell<Activations>>,
    peers: usize,
    region: Region,
    caller: Caller,
    ports: Rc<RefCell<Ports<T>>>,
    progress: Rc<RefCell<SharedProgress<T>>>,
    interest: OnceCell<Vec<FrontierInterest>>,
}

impl<T: OuterTime> Operate<T> for Operator<T> {
    fn inputs(&self) -> usize {
        self.ports.borrow().inputs.len()
    }

    fn outputs(&self) -> usize {
        self.ports.borrow().outputs.len()
    }

    fn notify_me(&self) -> &[FrontierInterest] {
        self.interest.get_or_init(|| vec![FrontierInterest::Always; self.inputs()])
    }

    /// Called when the scope is finished.
    fn initialize(self: Box<Self>) -> (Connectivity<T::Summary>, Rc<RefCell<SharedProgress<T>>>, Box<dyn Schedule>) {
        let (inputs, outputs) = (self.inputs(), self.outputs());
        let mut progress = SharedProgress::new(inputs, outputs);
        for internal in &mut progress.internals {
            internal.update(T::minimum(), self.peers as i64);
        }
        *self.progress.borrow_mut() = progress;
        let summaries = summaries(&self.region, &mut self.ports.borrow_mut());
        self.activations.borrow_mut().activate(&self.address);
        (summaries, Rc::clone(&self.progress), self)
    }
}

/// What timely may expect of the ways from each input to held outputs. From now on there are no more ports.
fn summaries<T: OuterTime>(region: &Region, ports: &mut Ports<T>) -> Connectivity<T::Summary> {
    ports.fixed = true;
    let mut summaries = vec![PortConnectivityBuilder::default(); ports.inputs.len()];
    let entries: Vec<NodeId> = ports.inputs.iter().map(|input| input.entry).collect();
    for (index, output) in ports.outputs.iter_mut().enumerate().filter(|(_, output)| output.mode == Mode::Held) {
        let state = region.core.state.borrow();
        output.outlook = Outlook::new(&state.schedule, output.exit, &entries);
        for (&entry, summary) in entries.iter().zip(&mut summaries) {
            match &mut output.outlook {
                Some(outlook) => {
                    let paths = outlook.paths(entry);
                    let paths = paths.elements().iter().filter_map(T::summary);
                    summary.add_port(index, paths.collect::<Antichain<_>>());
                }
                // Not built yet: whatever it will be, no path takes time back.
                None => summary.insert(index, T::Summary::default()),
            }
        }
    }
    summaries.into_iter().map(PortConnectivityBuilder::freeze).collect()
}

impl<T: OuterTime> Schedule for Operator<T> {
    fn name(&self) -> &str {
        "Boundary"
    }

    fn path(&self) -> &[usize] {
        &self.address
    }

    fn schedule(&mut self) -> bool {
        let progress = &mut *self.progress.borrow_mut();
        let ports = &mut *self.ports.borrow_mut();
        if take_in(ports, progress) {
            self.caller.running.set(true);
            // A failure stays in the region, for whoever steps it.
            _ = self.region.activate(Fuel::new(self.region.surroundings().fuel_units.get()));
            self.caller.running.set(false);
        }
        let entries: Vec<NodeId> = ports.inputs.iter().map(|input| input.entry).collect();
        let (mut settled, mut stuck) = (true, false);
        for (index, output) in ports.outputs.iter_mut().enumerate() {
            output.outlet.send(&mut progress.produceds[index]);
            match standing(&self.region, output, &entries) {
                Standing::Open(frontier) => output.say(&frontier, &mut progress.internals[index]),
                Standing::Working => settled = false,
                Standing::Stuck => stuck |= output.mode == Mode::Held,
            }
        }
        if settled && !stuck {
            for (input, consumed) in ports.inputs.iter_mut().zip(&mut progress.consumeds) {
                input.consumed.drain_into(consumed);
            }
        }
        if !settled {
            self.caller.activator.activate();
        }
        let mut inputs = ports.inputs.iter_mut();
        !settled
            || inputs.any(|input| !input.frontier.is_empty() || !input.consumed.is_empty())
            || ports.outputs.iter().any(|output| !output.said.is_empty())
    }
}

/// Takes what timely has brought since the last time: messages, then frontiers, as these speak of what is still to come.
fn take_in<T: OuterTime>(ports: &mut Ports<T>, progress: &mut SharedProgress<T>) -> bool {
    let mut any = false;
    for (input, changes) in ports.inputs.iter_mut().zip(&mut progress.frontiers) {
        let mut news = input.intake.pull(&mut input.consumed);
        if input.frontier.update_iter(changes.drain()).next().is_some() {
            input.intake.advance(input.frontier.frontier().iter().map(T::enter).collect());
            news = true;
        }
        if news {
            input.waker.wake();
            any = true;
        }
    }
    any
}

/// How it stands with an output, now that what is ready was sent.
fn standing<T>(region: &Region, output: &mut OutPort<T>, entries: &[NodeId]) -> Standing {
    let state = region.core.state.borrow();
    let schedule = &state.schedule;
    if output.outlet.is_gone() {
        // Taken out, or stopped and still there.
        let stopped = schedule.wakes.position(output.exit).is_some() && !region.surroundings().deserted.get();
        return if stopped { Standing::Stuck } else { Standing::Open(Frontier::empty()) };
    }
    if output.mode == Mode::Full {
        return Standing::Open(output.outlet.frontier());
    }
    if output.outlook.is_none() {
        output.outlook = Outlook::new(schedule, output.exit, entries);
    }
    match &mut output.outlook {
        Some(outlook) if outlook.is_quiet(schedule) => Standing::Open(outlook.holds(schedule)),
        _ => Standing::Working,
    }
}

impl<T: OuterTime> OutPort<T> {
    /// Tells timely of the capabilities that are had now.
    fn say(&mut self, frontier: &Frontier<Point>, internal: &mut ChangeBatch<T>) {
        // What has no counterpart outside can't leave either.
        let now: Vec<T> = frontier.elements().iter().filter_map(T::leave).collect();
        internal.extend(self.said.iter().filter(|time| !now.contains(time)).map(|time| (time.clone(), -1)));
        internal.extend(now.iter().filter(|time| !self.said.contains(time)).map(|time| (time.clone(), 1)));
        self.said = now;
    }
}

impl<T: OuterTime> Drop for Operator<T> {
    fn drop(&mut self) {
        // At its regular end all inputs are closed; otherwise the dataflow was dropped.
        for input in &self.ports.borrow().inputs {
            input.intake.cut_off();
            input.waker.wake();
        }
        let callers = &mut *self.region.surroundings().callers.borrow_mut();
        callers.retain(|caller| !Rc::ptr_eq(&caller.running, &self.caller.running));
    }
}
