//! Functions and constructors: as many arguments as they take, of types that agree.

use super::checker::Checker;
use super::patterns::Found;
use super::rows::Row;
use super::scalars::settle;
use crate::language::files::Span;
use crate::language::functions::{AGGREGATES, FUNCTIONS, Shape, Signature};
use crate::language::mistake::Problem;
use crate::language::program::{Scalar, ScalarKind};
use crate::language::syntax::tree::{Expr, ExprKind, Name};
use crate::language::types::{Type, unify};

/// What the letters of a signature stand for in a call.
struct Letters {
    a: Type,
    b: Type,
}

impl Letters {
    /// The type of a shape, or of what a function gives.
    fn of(&self, shape: Shape) -> Type {
        let list = |of: &Type| Type::List(Box::new(of.clone()));
        let option = |of: &Type| Type::Option(Box::new(of.clone()));
        match shape {
            Shape::Int => Type::Int,
            Shape::Float => Type::Float,
            Shape::Bool | Shape::OfItemToBool => Type::Bool,
            Shape::Text => Type::Text,
            Shape::A => self.a.clone(),
            Shape::B | Shape::OfItemToB | Shape::OfBothToB => self.b.clone(),
            Shape::ListOfA => list(&self.a),
            Shape::ListOfB => list(&self.b),
            Shape::ListOfText => list(&Type::Text),
            Shape::ListOfInt => list(&Type::Int),
            Shape::OptionOfA => option(&self.a),
            Shape::OptionOfInt => option(&Type::Int),
            Shape::OptionOfFloat => option(&Type::Float),
        }
    }

    /// Learns what a letter stands for from the type that a shape turned out to have.
    fn learn(&mut self, shape: Shape, of: &Type) {
        match (shape, of) {
            (Shape::A, of) => self.a = of.clone(),
            (Shape::B | Shape::OfItemToB | Shape::OfBothToB, of) => self.b = of.clone(),
            (Shape::ListOfA, Type::List(of)) | (Shape::OptionOfA, Type::Option(of)) => self.a = of.as_ref().clone(),
            (Shape::ListOfB, Type::List(of)) => self.b = of.as_ref().clone(),
            _ => {}
        }
    }

    /// The parameters of an argument that is a function.
    fn parameters(&self, shape: Shape) -> Option<Vec<Type>> {
        match shape {
            Shape::OfItemToB | Shape::OfItemToBool => Some(vec![self.a.clone()]),
            Shape::OfBothToB => Some(vec![self.b.clone(), self.a.clone()]),
            _ => None,
        }
    }
}

impl Checker<'_, '_> {
    pub(super) fn call(&mut self, name: &Name, arguments: &[Expr], span: Span, row: &Row) -> (ScalarKind, Type) {
        let rows: Vec<&Signature> = FUNCTIONS.iter().filter(|signature| signature.name == name.text).collect();
        let Some(first) = rows.first() else { return self.unknown_function(name) };
        let enough = |signature: &Signature| {
            arguments.len() == signature.takes.len() || (signature.repeats && arguments.len() > signature.takes.len())
        };
        if !enough(first) {
            let (name, found) = (name.text.clone(), arguments.len());
            let problem = Problem::ArgumentCount { name, wanted: first.takes.len(), more: first.repeats, found };
            return self.broken(span, Some(problem));
        }
        // Of several rows with one name, the first argument decides.
        let given = if is_function(&arguments[0]) { None } else { Some(self.scalar(&arguments[0], row)) };
        let mut letters = Letters { a: Type::Hole, b: Type::Hole };
        let fits = |signature: &&&Signature| match &given {
            Some(given) => unify(&given.of, &letters.of(signature.takes[0])).is_some(),
            None => true,
        };
        let signature = *rows.iter().find(fits).unwrap_or(first);
        if let Some(given) = &given
            && rows.len() > 1
            && rows.iter().find(fits).is_none()
        {
            let (name, found) = (name.text.clone(), given.of.clone());
            return self.broken(given.span, Some(Problem::NoSuchOverload { name, found }));
        }
        let mut values = Vec::new();
        let mut given = given;
        let mut fine = true;
        for (at, argument) in arguments.iter().enumerate() {
            let shape = signature.takes[at.min(signature.takes.len() - 1)];
            let value = match (given.take(), letters.parameters(shape)) {
                (Some(value), None) => Some(value),
                (_, None) => Some(self.scalar(argument, row)),
                (_, Some(parameters)) => self.lambda(&name.text, argument, &parameters, row),
            };
            let Some(mut value) = value else {
                fine = false;
                continue;
            };
            match unify(&letters.of(shape), &value.of) {
                Some(of) => {
                    settle(&mut value, &of);
                    letters.learn(shape, &of);
                }
                None => {
                    let (found, wanted) = (value.of.clone(), letters.of(shape));
                    let (name, position) = (name.text.clone(), at + 1);
                    self.tell(value.span, Problem::ArgumentType { name, position, wanted, found });
                    fine = false;
                }
            }
            values.push(value);
        }
        if fine && !signature.only.allows(&letters.a) {
            let problem =
                Problem::ArgumentKind { name: name.text.clone(), wanted: signature.only.words(), found: letters.a };
            return self.broken(span, Some(problem));
        }
        if !fine {
            return self.broken(span, None);
        }
        // A hole may have been filled by a later argument.
        for (at, value) in values.iter_mut().enumerate() {
            settle(value, &letters.of(signature.takes[at.min(signature.takes.len() - 1)]));
        }
        let of = letters.of(signature.gives);
        let of = self.sized(span, of);
        (ScalarKind::Call(signature.function, values), of)
    }

    fn unknown_function(&mut self, name: &Name) -> (ScalarKind, Type) {
        let text = name.text.clone();
        if AGGREGATES.iter().any(|(aggregate, _)| *aggregate == text) {
            return self.broken(name.span, Some(Problem::AggregateAsFunction { name: text }));
        }
        let near = self.near(&text, FUNCTIONS.iter().map(|signature| signature.name));
        self.broken(name.span, Some(Problem::UnknownFunction { name: text, near }))
    }

    /// An argument that is a function of these.
    fn lambda(&mut self, of: &str, written: &Expr, parameters: &[Type], row: &Row) -> Option<Scalar> {
        let ExprKind::Function(names, body) = &written.kind else {
            let (name, wanted) = (of.to_string(), parameters.len());
            self.tell(written.span, Problem::WantedFunction { name, wanted });
            return None;
        };
        if names.len() != parameters.len() {
            let (name, wanted, found) = (of.to_string(), parameters.len(), names.len());
            self.tell(written.span, Problem::FunctionParameters { name, wanted, found });
            return None;
        }
        let depth = self.locals.len();
        let bound = names.iter().zip(parameters).map(|(name, of)| self.bind(&name.text, of.clone())).collect();
        let body = self.scalar(body, row);
        self.locals.truncate(depth);
        let of = body.of.clone();
        Some(Scalar { kind: ScalarKind::Lambda(bound, Box::new(body)), of, span: written.span })
    }

    pub(super) fn construct(&mut self, name: &Name, arguments: &[Expr], span: Span, row: &Row) -> (ScalarKind, Type) {
        let mut values: Vec<Scalar> = arguments.iter().map(|argument| self.scalar(argument, row)).collect();
        let Some(Found { at, payload, of }) = self.constructor(name, &Type::Hole) else {
            return self.broken(span, None);
        };
        let wanted = payload.clone();
        let payload = match (payload, values.len()) {
            (None, 0) => None,
            (Some(of), 1) => {
                let mut value = values.remove(0);
                self.fit(&mut value, &of, "the constructor");
                Some(Box::new(value))
            }
            (Some(Type::Tuple(types)), count) if types.len() == count => {
                values.iter_mut().zip(&types).for_each(|(value, of)| self.fit(value, of, "the constructor"));
                Some(Box::new(Scalar { kind: ScalarKind::Tuple(values), of: Type::Tuple(types), span }))
            }
            (_, found) => {
                let name = name.text.clone();
                let problem = Problem::ConstructorArguments { name, payload: wanted, found };
                return self.broken(span, Some(problem));
            }
        };
        let of = of.unwrap_or_else(|| {
            let inside = payload.as_ref().map_or(Type::Hole, |payload| payload.of.clone());
            Type::Option(Box::new(inside))
        });
        let of = self.sized(span, of);
        (ScalarKind::Construct { constructor: at, payload }, of)
    }
}

fn is_function(written: &Expr) -> bool {
    matches!(written.kind, ExprKind::Function(..))
}
