//! What is declared where: scopes, and the names in them.
//!
//! ```text
//!   program          edge, root, reach (a loop), closure (a subprogram)
//!     ├── reach      near, far                   sees the program's names
//!     └── closure    its parameters, its lets    sees subprograms and types only
//! ```
//!
//! Statements are unordered, so all names of a scope are collected before any is looked up. A name is unique in its
//! scope; in a scope inside it may mean something else, which is warned of.

use crate::language::files::Span;
use crate::language::mistake::{Mistake, Problem};
use crate::language::program::{DefinitionId, LoopId, Scope, SubprogramId};
use crate::language::syntax::tree::{self, Columns, Name, ParameterKind, Statement, StatementKind, TypeExpr};
use crate::language::types::SumId;
use std::collections::BTreeMap;

/// The number of a scope in [`World::scopes`]; the program's is 0.
pub(super) type ScopeId = usize;

/// All declarations of a program.
#[derive(Default)]
pub(super) struct World<'t> {
    pub(super) scopes: Vec<ScopeNames>,
    pub(super) definitions: Vec<Declared<'t>>,
    pub(super) loops: Vec<DeclaredLoop<'t>>,
    pub(super) subprograms: Vec<DeclaredSubprogram<'t>>,
    pub(super) sums: Vec<DeclaredSum<'t>>,
    pub(super) sum_names: BTreeMap<&'t str, SumId>,
    /// By name, the declared type and the number within it.
    pub(super) constructors: BTreeMap<&'t str, (SumId, usize, Span)>,
}

pub(super) struct ScopeNames {
    pub(super) parent: Option<ScopeId>,
    pub(super) kind: Scope,
    pub(super) names: BTreeMap<String, (Entry, Span)>,
}

/// What a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Definition(DefinitionId),
    Loop(LoopId),
    Subprogram(SubprogramId),
    /// A parameter that is a value, by its position.
    Value(usize),
}

pub(super) struct Declared<'t> {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) scope: ScopeId,
    pub(super) what: What<'t>,
}

#[derive(Clone, Copy)]
pub(super) enum What<'t> {
    Source(&'t Columns, Option<&'t tree::Generator>),
    Import(&'t Columns, &'t Name, &'t Name),
    Parameter(&'t Columns),
    Let(&'t tree::Bag),
    Var(Option<&'t Columns>, &'t tree::Bag),
    Export(&'t tree::Bag),
    Return(&'t tree::Bag),
}

impl<'t> What<'t> {
    pub(super) fn bag(self) -> Option<&'t tree::Bag> {
        match self {
            What::Let(bag) | What::Var(_, bag) | What::Export(bag) | What::Return(bag) => Some(bag),
            What::Source(..) | What::Import(..) | What::Parameter(_) => None,
        }
    }
}

pub(super) struct DeclaredLoop<'t> {
    pub(super) name: &'t Name,
    /// What it stands in.
    pub(super) outer: ScopeId,
    /// What stands in it.
    pub(super) inner: ScopeId,
    pub(super) limit: Option<&'t tree::Expr>,
    pub(super) by_rounds: bool,
}

pub(super) struct DeclaredSubprogram<'t> {
    pub(super) name: &'t Name,
    pub(super) parameters: Vec<DeclaredParameter<'t>>,
    /// Nothing if it returns nothing, which the parser has told.
    pub(super) result: Option<DefinitionId>,
}

pub(super) enum DeclaredParameter<'t> {
    Bag(DefinitionId),
    Value(&'t str, &'t TypeExpr),
}

pub(super) struct DeclaredSum<'t> {
    pub(super) name: &'t Name,
    pub(super) constructors: &'t [(Name, Option<TypeExpr>)],
}

impl<'t> World<'t> {
    /// Collects what the statements declare.
    pub(super) fn declare(statements: impl Iterator<Item = &'t Statement>, mistakes: &mut Vec<Mistake>) -> Self {
        let mut world = World::default();
        let program = world.open(None, Scope::Program);
        for statement in statements {
            world.statement(program, statement, mistakes);
        }
        world
    }

    fn open(&mut self, parent: Option<ScopeId>, kind: Scope) -> ScopeId {
        self.scopes.push(ScopeNames { parent, kind, names: BTreeMap::new() });
        self.scopes.len() - 1
    }

    fn name(&mut self, scope: ScopeId, name: &Name, entry: Entry, mistakes: &mut Vec<Mistake>) {
        if let Some((_, first)) = self.scopes[scope].names.get(&name.text) {
            let problem = Problem::DuplicateName { name: name.text.clone(), first: *first };
            mistakes.push(Mistake::new(name.span, problem));
            return;
        }
        // A subprogram does not see the collections outside of it, so its names hide none.
        if matches!(self.scopes[scope].kind, Scope::Loop(_))
            && let Some(parent) = self.scopes[scope].parent
            && let Some((_, hidden)) = self.find(parent, &name.text)
        {
            let problem = Problem::Shadows { name: name.text.clone(), hidden };
            mistakes.push(Mistake::new(name.span, problem));
        }
        self.scopes[scope].names.insert(name.text.clone(), (entry, name.span));
    }

    fn definition(&mut self, scope: ScopeId, name: &Name, what: What<'t>, mistakes: &mut Vec<Mistake>) -> DefinitionId {
        let id = DefinitionId(self.definitions.len());
        self.definitions.push(Declared { name: name.text.clone(), span: name.span, scope, what });
        self.name(scope, name, Entry::Definition(id), mistakes);
        id
    }

    fn statement(&mut self, scope: ScopeId, statement: &'t Statement, mistakes: &mut Vec<Mistake>) {
        let outside = self.scopes[scope].kind == Scope::Program;
        let only_outside = match &statement.kind {
            StatementKind::Source { .. } => Some("source"),
            StatementKind::Import { .. } => Some("import"),
            StatementKind::Include { .. } => Some("include"),
            StatementKind::Type { .. } => Some("type"),
            StatementKind::Define { .. } => Some("define"),
            StatementKind::Export { .. } => Some("export"),
            StatementKind::Let { .. } | StatementKind::Var { .. } | StatementKind::Loop { .. } => None,
        };
        if let Some(word) = only_outside
            && !outside
        {
            mistakes.push(Mistake::new(statement.span, Problem::OnlyOutside { word }));
            return;
        }
        match &statement.kind {
            StatementKind::Include { .. } => {}
            StatementKind::Source { name, columns, generator } => {
                self.definition(scope, name, What::Source(columns, generator.as_ref()), mistakes);
            }
            StatementKind::Import { name, columns, program, export } => {
                self.definition(scope, name, What::Import(columns, program, export), mistakes);
            }
            StatementKind::Let { name, bag } => {
                self.definition(scope, name, What::Let(bag), mistakes);
            }
            StatementKind::Export { name, bag } => {
                self.definition(scope, name, What::Export(bag), mistakes);
            }
            StatementKind::Var { name, columns, bag } => {
                if !matches!(self.scopes[scope].kind, Scope::Loop(_)) {
                    mistakes.push(Mistake::new(statement.span, Problem::VarOutside { name: name.text.clone() }));
                }
                self.definition(scope, name, What::Var(columns.as_ref(), bag), mistakes);
            }
            StatementKind::Loop { name, limit, by_rounds, body } => {
                let id = LoopId(self.loops.len());
                let inner = self.open(Some(scope), Scope::Loop(id));
                let limit = limit.as_ref();
                self.loops.push(DeclaredLoop { name, outer: scope, inner, limit, by_rounds: *by_rounds });
                self.name(scope, name, Entry::Loop(id), mistakes);
                if !body.iter().any(|statement| matches!(statement.kind, StatementKind::Var { .. })) {
                    mistakes.push(Mistake::new(name.span, Problem::LoopWithoutVar { name: name.text.clone() }));
                }
                for statement in body {
                    self.statement(inner, statement, mistakes);
                }
            }
            StatementKind::Type { name, constructors } => self.sum(name, constructors, mistakes),
            StatementKind::Define { name, parameters, body, result } => {
                self.subprogram(scope, name, parameters, body, result.as_ref(), mistakes);
            }
        }
    }

    fn subprogram(
        &mut self,
        scope: ScopeId,
        name: &'t Name,
        parameters: &'t [tree::Parameter],
        body: &'t [Statement],
        result: Option<&'t tree::Bag>,
        mistakes: &mut Vec<Mistake>,
    ) {
        let id = SubprogramId(self.subprograms.len());
        let inner = self.open(Some(scope), Scope::Subprogram(id));
        self.subprograms.push(DeclaredSubprogram { name, parameters: Vec::new(), result: None });
        self.name(scope, name, Entry::Subprogram(id), mistakes);
        for (at, parameter) in parameters.iter().enumerate() {
            let declared = match &parameter.kind {
                ParameterKind::Bag(columns) => {
                    let what = What::Parameter(columns);
                    DeclaredParameter::Bag(self.definition(inner, &parameter.name, what, mistakes))
                }
                ParameterKind::Scalar(of) => {
                    self.name(inner, &parameter.name, Entry::Value(at), mistakes);
                    DeclaredParameter::Value(&parameter.name.text, of)
                }
            };
            self.subprograms[id.0].parameters.push(declared);
        }
        for statement in body {
            self.statement(inner, statement, mistakes);
        }
        if let Some(bag) = result {
            let definition = DefinitionId(self.definitions.len());
            let (name, span, what) = ("return".to_string(), bag.span, What::Return(bag));
            self.definitions.push(Declared { name, span, scope: inner, what });
            self.subprograms[id.0].result = Some(definition);
        }
    }

    fn sum(&mut self, name: &'t Name, constructors: &'t [(Name, Option<TypeExpr>)], mistakes: &mut Vec<Mistake>) {
        let id = SumId(self.sums.len());
        match self.sum_names.get(name.text.as_str()) {
            Some(first) => {
                let first = self.sums[first.0].name.span;
                let problem = Problem::DuplicateType { name: name.text.clone(), first };
                mistakes.push(Mistake::new(name.span, problem));
            }
            None => {
                self.sum_names.insert(&name.text, id);
            }
        }
        self.sums.push(DeclaredSum { name, constructors });
        for (at, (constructor, _)) in constructors.iter().enumerate() {
            let text = constructor.text.as_str();
            if text == "Some" || text == "None" {
                mistakes.push(Mistake::new(constructor.span, Problem::ConstructorOfOption { name: text.to_string() }));
            } else if let Some((_, _, first)) = self.constructors.get(text) {
                let problem = Problem::DuplicateConstructor { name: text.to_string(), first: *first };
                mistakes.push(Mistake::new(constructor.span, problem));
            } else {
                self.constructors.insert(text, (id, at, constructor.span));
            }
        }
    }
}
