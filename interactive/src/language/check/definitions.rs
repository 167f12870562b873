//! All definitions, each after what it reads; then everything put together.

use super::checker::Checker;
use super::order::{groups, way};
use super::recursion::Graph;
use super::rows::{Row, differ};
use super::unused::unused;
use super::world::{DeclaredParameter, What, World};
use crate::language::files::FileId;
use crate::language::functions::GENERATORS;
use crate::language::mistake::{Mistake, Problem};
use crate::language::program::{
    Bag, Definition, DefinitionId, DefinitionKind, Generator, Loop, Parameter, Program, Subprogram,
};
use crate::language::syntax::tree::{self, Columns, Statement};
use crate::language::types::{Constructor, SPELLED_OUT, Sum, Type};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Checks statements; the program, if they have no mistake, and what there is to say. `main` says whether a place is in
/// the program's own file: what is not used elsewhere is a library's business.
pub(crate) fn check<'t>(
    statements: impl Iterator<Item = &'t Statement>,
    mistakes: &mut Vec<Mistake>,
    main: FileId,
) -> Option<Program> {
    let world = World::declare(statements, mistakes);
    let graph = Graph::of(&world, mistakes);
    let edges = graph.edges(&world);
    let groups = groups(&edges);
    let known = vec![None; world.definitions.len()];
    let sums = Vec::new();
    let (locals, next_local) = (Vec::new(), 0);
    let mut checker = Checker { world: &world, sums, known, quiet: false, mistakes, scope: 0, locals, next_local };
    checker.declared_types();
    let mut kinds: Vec<Option<DefinitionKind>> = Vec::new();
    for at in 0..world.definitions.len() {
        let kind = checker.head(at);
        kinds.push(kind);
    }
    for group in &groups {
        checker.group_of_definitions(group, &graph, &mut kinds);
    }
    let program = checker.finish(kinds);
    unused(&world, &graph, &groups, main, mistakes);
    mistakes.iter().all(|mistake| !mistake.is_error()).then_some(program)
}

impl Checker<'_, '_> {
    fn declared_types(&mut self) {
        let world = self.world;
        for sum in &world.sums {
            let constructors = sum.constructors.iter().map(|(name, payload)| Constructor {
                name: name.text.clone(),
                span: name.span,
                payload: payload.as_ref().map(|payload| self.type_of(payload)),
            });
            let constructors = constructors.collect();
            let (name, span) = (sum.name.text.as_str().into(), sum.name.span);
            self.sums.push(Sum { name, span, constructors });
        }
        let mut edges = vec![Vec::new(); self.sums.len()];
        for (at, sum) in self.sums.iter().enumerate() {
            sum.constructors.iter().filter_map(|constructor| constructor.payload.as_ref()).for_each(|payload| {
                parts(payload, &mut edges[at]);
            });
        }
        // A group comes after what it is made of, so sizes are known when they are added up.
        let mut sizes = vec![1; self.sums.len()];
        for group in groups(&edges) {
            let first = *group.iter().min().expect("a group has members");
            let payloads = self.sums[first].constructors.iter().filter_map(|constructor| constructor.payload.as_ref());
            let size = payloads.fold(1, |sum: usize, of| sum.saturating_add(of.spelled_out(&sizes)));
            if let Some(cycle) = way(&edges, first, first, |node| group.contains(&node)) {
                let cycle = cycle.iter().map(|at| self.sums[*at].name.to_string()).collect();
                self.tell(self.sums[first].span, Problem::RecursiveType { cycle });
            } else if size > SPELLED_OUT {
                self.tell(self.sums[first].span, Problem::TypeTooLarge { limit: SPELLED_OUT });
            } else {
                sizes[first] = size;
                continue;
            }
            // As if it held nothing, so that nobody who takes it apart goes on forever.
            for member in group {
                self.sums[member].constructors.iter_mut().for_each(|constructor| {
                    constructor.payload = constructor.payload.as_ref().map(|_| Type::Broken);
                });
            }
        }
    }

    /// What is known of a definition without looking at others.
    fn head(&mut self, at: usize) -> Option<DefinitionKind> {
        let world = self.world;
        let declared = &world.definitions[at];
        let (columns, kind): (&Columns, _) = match declared.what {
            What::Source(columns, None) => (columns, Some(DefinitionKind::Source)),
            What::Source(columns, Some(generator)) => {
                let kind = self.generator(generator, columns);
                (columns, kind.map(DefinitionKind::Generated))
            }
            What::Import(columns, program, export) => {
                let (program, export) = (program.text.clone(), export.text.clone());
                (columns, Some(DefinitionKind::Import { program, export }))
            }
            What::Parameter(columns) => (columns, Some(DefinitionKind::Parameter)),
            What::Var(Some(columns), _) => (columns, None),
            What::Var(None, _) | What::Let(_) | What::Export(_) | What::Return(_) => return None,
        };
        self.known[at] = Some(self.columns_of(columns));
        kind
    }

    fn generator(&mut self, written: &tree::Generator, columns: &Columns) -> Option<Generator> {
        let name = &written.name.text;
        let Some((_, parameters, width)) = GENERATORS.iter().find(|(known, _, _)| known == name) else {
            let near = self.near(name, GENERATORS.iter().map(|(known, _, _)| *known));
            self.tell(written.name.span, Problem::UnknownGenerator { name: name.clone(), near });
            return None;
        };
        if written.arguments.len() != parameters.len() {
            let found = written.arguments.len();
            let problem = Problem::GeneratorArguments { name: name.clone(), parameters: parameters.to_vec(), found };
            self.tell(written.span, problem);
            return None;
        }
        let int = |column: &tree::ColumnExpr| matches!(&column.of.kind, tree::TypeKind::Named(name) if name == "int");
        if columns.columns.len() != *width || !columns.columns.iter().all(int) {
            self.tell(columns.span, Problem::GeneratorColumns { name: name.clone(), wanted: *width });
            return None;
        }
        let numbers = written.arguments.iter().enumerate().map(|(at, argument)| {
            // Any seed will do.
            let least = if parameters[at] == "seed" { i64::MIN } else { 0 };
            self.whole_number(argument, least)
        });
        let numbers: Option<Vec<i64>> = numbers.collect();
        Some(match numbers?[..] {
            [] => Generator::Clock,
            [count] => Generator::Iota(count),
            [nodes, edges, seed] => Generator::RandomGraph { nodes, edges, seed },
            _ => return None,
        })
    }

    /// Definitions that read each other, or a single one, when all others that they read are known.
    fn group_of_definitions(&mut self, group: &[usize], graph: &Graph, kinds: &mut [Option<DefinitionKind>]) {
        let mut group = group.to_vec();
        group.sort_unstable();
        let world = self.world;
        let circular = group.iter().any(|at| graph.circular[*at]);
        let reads_itself = |at: usize| graph.reads[at].references.iter().any(|reference| reference.to.0 == at);
        if group.len() > 1 || reads_itself(group[0]) {
            self.infer(&group, graph);
        }
        let told = self.mistakes.len();
        for at in &group {
            let declared = &world.definitions[*at];
            self.scope = declared.scope;
            let Some((bag, row)) = self.whole_bag(declared.what, declared.span) else { continue };
            if let (What::Var(..), Some(known)) = (declared.what, &self.known[*at]) {
                let known = Row::of(known, None);
                if let Some(problem) = differ(&known, &row, "the `var`") {
                    self.tell(bag.span, problem);
                }
            } else if !row.broken {
                self.known[*at] = Some(Arc::clone(&bag.columns));
            }
            kinds[*at] = Some(kind(declared.what, bag));
        }
        let silent = self.mistakes[told..].iter().all(|mistake| !mistake.is_error());
        let fed = group.iter().all(|at| {
            let references = &graph.reads[*at].references;
            let within = |at: usize| group.binary_search(&at).is_ok();
            references.iter().all(|reference| within(reference.to.0) || self.known[reference.to.0].is_some())
        });
        if silent && fed && !circular {
            let unknown = group.iter().filter(|at| self.known[**at].is_none());
            let vars = unknown.filter(|at| matches!(world.definitions[**at].what, What::Var(..)));
            for at in vars.copied().collect::<Vec<_>>() {
                let declared = &world.definitions[at];
                self.tell(declared.span, Problem::ColumnsUnknown { name: declared.name.clone() });
            }
        }
    }

    /// Looks quietly at definitions that read each other, until one more look tells no more columns. A definition is looked
    /// at again only if the columns of one that it reads became known.
    fn infer(&mut self, group: &[usize], graph: &Graph) {
        let world = self.world;
        let mut readers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for at in group {
            graph.reads[*at].references.iter().for_each(|read| readers.entry(read.to.0).or_default().push(*at));
        }
        self.quiet = true;
        let mut waiting: VecDeque<usize> = group.iter().copied().collect();
        while let Some(at) = waiting.pop_front() {
            let declared = &world.definitions[at];
            if self.known[at].is_some() {
                continue;
            }
            self.scope = declared.scope;
            let Some((_, row)) = self.whole_bag(declared.what, declared.span) else { continue };
            if !row.broken && row.columns.iter().all(|column| !column.of.has(&Type::Broken)) {
                self.known[at] = Some(row.plain());
                waiting.extend(readers.get(&at).into_iter().flatten());
            }
        }
        self.quiet = false;
    }

    /// The program. Of something with mistakes it is full of gaps, and is thrown away.
    fn finish(&mut self, kinds: Vec<Option<DefinitionKind>>) -> Program {
        let world = self.world;
        let mut program = Program { sums: self.sums.clone(), ..Program::default() };
        for (at, kind) in kinds.into_iter().enumerate() {
            let declared = &world.definitions[at];
            let columns = self.known[at].clone().unwrap_or_default();
            let (name, span) = (declared.name.clone(), declared.span);
            let scope = world.scopes[declared.scope].kind;
            let kind = kind.unwrap_or(DefinitionKind::Source);
            program.definitions.push(Definition { name, span, scope, columns, kind });
        }
        for declared in &world.loops {
            self.scope = declared.outer;
            self.locals.clear();
            let limit = declared.limit.map(|limit| self.positive(limit, "`limit`"));
            let (name, span) = (declared.name.text.clone(), declared.name.span);
            let scope = world.scopes[declared.outer].kind;
            program.loops.push(Loop { name, span, scope, limit, by_rounds: declared.by_rounds });
        }
        for declared in &world.subprograms {
            let parameters = declared.parameters.iter().map(|parameter| match parameter {
                DeclaredParameter::Bag(id) => Parameter::Bag(*id),
                DeclaredParameter::Value(name, of) => {
                    Parameter::Scalar { name: name.to_string(), of: self.type_of(of) }
                }
            });
            let parameters = parameters.collect();
            let (name, span) = (declared.name.text.clone(), declared.name.span);
            let result = declared.result.unwrap_or(DefinitionId(0));
            program.subprograms.push(Subprogram { name, span, parameters, result });
        }
        program
    }
}

fn kind(what: What<'_>, bag: Bag) -> DefinitionKind {
    match what {
        What::Var(..) => DefinitionKind::Var(bag),
        What::Export(_) => DefinitionKind::Export(bag),
        _ => DefinitionKind::Let(bag),
    }
}

/// The declared types that are part of a type.
fn parts(of: &Type, found: &mut Vec<usize>) {
    match of {
        Type::Sum(id, _) => found.push(id.0),
        Type::List(of) | Type::Option(of) => parts(of, found),
        Type::Tuple(fields) => fields.iter().for_each(|field| parts(field, found)),
        _ => {}
    }
}
