//! Scalars at random, of any type, over columns of some types.

use crate::column::column_laws::Random;
use interactive::language::files::{FileId, Span};
use interactive::language::functions::Function as F;
use interactive::language::operators::Binary;
use interactive::language::program::{Arm, LocalId, Pattern, PatternKind, Scalar, ScalarKind};
use interactive::language::types::{Constructor, Sum, SumId, Type};
use interactive::value::Value;

const TEXTS: [&str; 12] =
    ["", "a", "ab", "12", "-7", "1.5", "a b", " a ", "\u{c9}a", "aaaaaaaaab", "nan", "99999999999999999999"];
const INTS: [i64; 12] = [0, 1, -1, 2, 3, 7, -7, 10, i64::MAX, i64::MIN, i64::MAX - 1, 1 << 32];
const FLOATS: [f64; 10] = [0.0, -0.0, 1.0, -1.5, 2.5, 1e19, -1e19, f64::NAN, f64::INFINITY, 0.1];

/// The only declared type: nothing, a number, or two things.
pub(crate) fn sums() -> Vec<Sum> {
    let constructor = |name: &str, payload| Constructor { name: name.into(), span: span(0), payload };
    let two = Type::Tuple(vec![Type::Int, Type::Text]);
    let constructors =
        vec![constructor("Dot", None), constructor("Circle", Some(Type::Float)), constructor("Box", Some(two))];
    vec![Sum { name: "Shape".into(), span: span(0), constructors }]
}

fn span(at: u32) -> Span {
    Span { file: FileId(0), start: at, end: at + 1 }
}

/// A type of at most `depth` levels.
pub(crate) fn type_of(random: &mut Random, depth: usize) -> Type {
    match random.below(if depth == 0 { 4 } else { 8 }) {
        0 => Type::Int,
        1 => Type::Float,
        2 => Type::Bool,
        3 => Type::Text,
        4 => Type::Tuple((0..random.below(4)).map(|_| type_of(random, depth - 1)).collect()),
        5 => Type::List(Box::new(type_of(random, depth - 1))),
        6 => Type::Option(Box::new(type_of(random, depth - 1))),
        _ => Type::Sum(SumId(0), "Shape".into()),
    }
}

/// A value of a type.
pub(crate) fn value_of(random: &mut Random, of: &Type) -> Value {
    match of {
        Type::Int if random.below(3) > 0 => Value::Int(random.below(5) as i64 - 1),
        Type::Int => Value::Int(INTS[random.below(INTS.len())]),
        Type::Float => Value::float(FLOATS[random.below(FLOATS.len())]),
        Type::Bool => Value::Bool(random.below(2) == 0),
        Type::Text => Value::text(TEXTS[random.below(TEXTS.len())]),
        Type::Tuple(fields) => Value::tuple(fields.iter().map(|field| value_of(random, field)).collect::<Vec<_>>()),
        Type::List(of) => Value::list((0..random.below(4)).map(|_| value_of(random, of)).collect::<Vec<_>>()),
        Type::Option(_) if random.below(3) == 0 => Value::NONE,
        Type::Option(of) => Value::some(value_of(random, of)),
        Type::Sum(..) => {
            let tag = random.below(3);
            let payload = sums()[0].constructors[tag].payload.clone();
            Value::Sum(tag as u32, payload.map(|payload| Box::new(value_of(random, &payload))))
        }
        Type::Hole | Type::Broken => panic!("no value of {of}"),
    }
}

/// Makes scalars over columns of these types. Each has a place of its own.
pub(crate) struct Maker<'a> {
    pub(crate) random: &'a mut Random,
    pub(crate) columns: Vec<Type>,
    names: Vec<(LocalId, Type)>,
    made: u32,
    locals: usize,
}

impl<'a> Maker<'a> {
    pub(crate) fn new(random: &'a mut Random, columns: Vec<Type>) -> Self {
        Maker { random, columns, names: Vec::new(), made: 0, locals: 0 }
    }

    fn plain(&mut self) -> Type {
        type_of(self.random, 0)
    }

    fn any(&mut self) -> Type {
        type_of(self.random, 1)
    }

    fn with(&mut self, kind: ScalarKind, of: &Type) -> Scalar {
        self.made += 2;
        Scalar { kind, of: of.clone(), span: span(self.made) }
    }

    /// A scalar of a type, of at most `depth` levels.
    pub(crate) fn scalar(&mut self, of: &Type, depth: usize) -> Scalar {
        let kind = match self.random.below(10) {
            _ if depth == 0 => self.leaf(of),
            0 | 1 => self.leaf(of),
            2 => self.choice(of, depth - 1),
            3 => self.named(of, depth - 1),
            4 => self.taken(of, depth - 1),
            _ => self.own(of, depth - 1),
        };
        self.with(kind, of)
    }

    fn boxed(&mut self, of: &Type, depth: usize) -> Box<Scalar> {
        Box::new(self.scalar(of, depth))
    }

    fn call(&mut self, function: F, of: &[&Type], depth: usize) -> ScalarKind {
        ScalarKind::Call(function, of.iter().map(|of| self.scalar(of, depth)).collect())
    }

    /// A column, a name or a literal.
    fn leaf(&mut self, of: &Type) -> ScalarKind {
        let columns: Vec<usize> = (0..self.columns.len()).filter(|at| self.columns[*at] == *of).collect();
        let names: Vec<LocalId> = self.names.iter().filter(|(_, name)| name == of).map(|(name, _)| *name).collect();
        match self.random.below(5) {
            0 | 1 if !names.is_empty() => ScalarKind::Local(names[self.random.below(names.len())]),
            0..4 if !columns.is_empty() => ScalarKind::Column(columns[self.random.below(columns.len())]),
            _ => {
                let value = value_of(self.random, of);
                self.literal(&value, of).kind
            }
        }
    }

    fn literal(&mut self, value: &Value, of: &Type) -> Scalar {
        let kind = match (value, of) {
            (Value::Int(number), _) => ScalarKind::Int(*number),
            (Value::Float(number), _) => ScalarKind::Float(number.get()),
            (Value::Bool(holds), _) => ScalarKind::Bool(*holds),
            (Value::Text(text), _) => ScalarKind::Text(text.to_string()),
            (Value::Tuple(fields), Type::Tuple(types)) => {
                ScalarKind::Tuple(fields.iter().zip(types).map(|(field, of)| self.literal(field, of)).collect())
            }
            (Value::List(items), Type::List(of)) => {
                ScalarKind::List(items.iter().map(|item| self.literal(item, of)).collect())
            }
            (Value::Sum(tag, held), of) => {
                let inside = self.held(of, *tag as usize);
                let payload = held.as_ref().zip(inside).map(|(held, of)| Box::new(self.literal(held, &of)));
                ScalarKind::Construct { constructor: *tag as usize, payload }
            }
            (value, of) => panic!("{value:?} is no {of}"),
        };
        self.with(kind, of)
    }

    /// What a constructor of a type holds.
    fn held(&self, of: &Type, tag: usize) -> Option<Type> {
        match of {
            Type::Option(of) => (tag == 1).then(|| (**of).clone()),
            _ => sums()[0].constructors[tag].payload.clone(),
        }
    }

    /// `if` and `case`.
    fn choice(&mut self, of: &Type, depth: usize) -> ScalarKind {
        if self.random.below(2) == 0 {
            let condition = self.boxed(&Type::Bool, depth);
            return ScalarKind::If(condition, self.boxed(of, depth), self.boxed(of, depth));
        }
        let matched = type_of(self.random, 2);
        let value = self.boxed(&matched, depth);
        let mut arms = Vec::new();
        for at in 0..1 + self.random.below(3) {
            let before = self.names.len();
            let pattern = self.pattern(&matched, if at == 0 { 2 } else { 1 });
            arms.push(Arm { pattern, value: self.scalar(of, depth) });
            self.names.truncate(before);
        }
        // Whatever is left.
        let before = self.names.len();
        let pattern = self.pattern(&matched, 0);
        arms.push(Arm { pattern, value: self.scalar(of, depth) });
        self.names.truncate(before);
        ScalarKind::Case(value, arms)
    }

    fn name(&mut self, of: &Type) -> LocalId {
        self.locals += 1;
        self.names.push((LocalId(self.locals), of.clone()));
        LocalId(self.locals)
    }

    /// A pattern; of depth 0, one that matches everything.
    fn pattern(&mut self, of: &Type, depth: usize) -> Pattern {
        let kind = if depth == 0 || self.random.below(4) == 0 {
            if self.random.below(2) == 0 { PatternKind::Any } else { PatternKind::Bind(self.name(of)) }
        } else {
            match (of, value_of(self.random, of)) {
                (_, Value::Int(number)) => PatternKind::Int(number),
                (_, Value::Float(number)) => PatternKind::Float(number.get()),
                (_, Value::Bool(holds)) => PatternKind::Bool(holds),
                (_, Value::Text(text)) => PatternKind::Text(text.into()),
                (Type::Tuple(types), _) => {
                    PatternKind::Tuple(types.iter().map(|of| self.pattern(of, depth - 1)).collect())
                }
                (of, Value::Sum(tag, _)) => {
                    let inner = self.held(of, tag as usize).map(|of| Box::new(self.pattern(&of, depth - 1)));
                    PatternKind::Construct(tag as usize, inner)
                }
                _ => PatternKind::Any,
            }
        };
        Pattern { kind, span: span(0) }
    }

    /// `let`.
    fn named(&mut self, of: &Type, depth: usize) -> ScalarKind {
        let other = self.any();
        let value = self.boxed(&other, depth);
        let name = self.name(&other);
        let body = self.boxed(of, depth);
        self.names.pop();
        ScalarKind::Let(name, value, body)
    }

    /// A function of names of these types.
    fn function(&mut self, parameters: &[&Type], of: &Type, depth: usize) -> Scalar {
        let before = self.names.len();
        let names = parameters.iter().map(|of| self.name(of)).collect();
        let body = self.boxed(of, depth);
        self.names.truncate(before);
        self.with(ScalarKind::Lambda(names, body), of)
    }

    /// Out of something that holds one.
    fn taken(&mut self, of: &Type, depth: usize) -> ScalarKind {
        let option = Type::Option(Box::new(of.clone()));
        let list = Type::List(Box::new(of.clone()));
        match self.random.below(7) {
            0 => self.call(F::Unwrap, &[&option], depth),
            1 => self.call(F::OrElse, &[&option, of], depth),
            2 => self.call(F::Index, &[&list, &Type::Int], depth),
            3 => self.call(F::Least, &[of, of, of], depth),
            4 => self.call(F::Greatest, &[of, of], depth),
            5 => {
                let mut fields = vec![self.any(), self.plain()];
                let at = self.random.below(2);
                fields[at] = of.clone();
                ScalarKind::Field(self.boxed(&Type::Tuple(fields), depth), at)
            }
            // What is so far may be no list or text: one that doubles with each item is another test.
            _ if matches!(of, Type::Int | Type::Float | Type::Bool) => {
                let item = self.any();
                let list = self.scalar(&Type::List(Box::new(item.clone())), depth);
                let start = self.scalar(of, depth);
                let step = self.function(&[of, &item], of, depth);
                ScalarKind::Call(F::Fold, vec![list, start, step])
            }
            _ => self.leaf(of),
        }
    }

    /// What only its type has.
    fn own(&mut self, of: &Type, depth: usize) -> ScalarKind {
        let (int, float, text) = (&Type::Int, &Type::Float, &Type::Text);
        match of {
            Type::Int => match self.random.below(10) {
                0..4 => self.arithmetic(of, 5, depth),
                4 => ScalarKind::Negative(self.boxed(of, depth)),
                5 => self.call(F::ToInt, &[float], depth),
                6 => {
                    let list = Type::List(Box::new(self.any()));
                    let (function, of) =
                        [(F::ParseInt, text), (F::Length, text), (F::LengthOfList, &list)][self.random.below(3)];
                    self.call(function, &[of], depth)
                }
                7 => {
                    let others = [self.any(), self.any()];
                    self.call(F::Hash, &[int, &others[0], &others[1]], depth)
                }
                8 => self.call(F::Bits, &[int], depth),
                _ => self.call(F::Absolute, &[of], depth),
            },
            Type::Float => match self.random.below(4) {
                0 => self.arithmetic(of, 4, depth),
                1 => ScalarKind::Negative(self.boxed(of, depth)),
                2 => {
                    let function = [F::Absolute, F::Ceiling, F::Floor, F::Round, F::SquareRoot][self.random.below(5)];
                    self.call(function, &[of], depth)
                }
                _ if self.random.below(2) == 0 => self.call(F::ToFloat, &[int], depth),
                _ => self.call(F::ParseFloat, &[text], depth),
            },
            Type::Bool => self.condition(depth),
            Type::Text => match self.random.below(4) {
                0 => self.call(F::Concat, &[text, text, text], depth),
                1 => self.call(F::Substring, &[text, int, int], depth),
                2 => {
                    let plain = self.plain();
                    self.call(F::ToText, &[&plain], depth)
                }
                _ => {
                    let function = [F::Lower, F::Upper, F::Trim][self.random.below(3)];
                    self.call(function, &[text], depth)
                }
            },
            Type::Tuple(fields) => ScalarKind::Tuple(fields.iter().map(|field| self.scalar(field, depth)).collect()),
            Type::List(item) => self.list(of, item, depth),
            Type::Option(inner) => match (&**inner, self.random.below(2)) {
                (Type::Int, 0) => self.call(F::TryInt, &[text], depth),
                (Type::Float, 0) => self.call(F::TryFloat, &[text], depth),
                _ => self.construct(of, 2, depth),
            },
            Type::Sum(..) => self.construct(of, 3, depth),
            Type::Hole | Type::Broken => panic!("nothing is {of}"),
        }
    }

    fn construct(&mut self, of: &Type, count: usize, depth: usize) -> ScalarKind {
        let constructor = self.random.below(count);
        let payload = self.held(of, constructor).map(|of| self.boxed(&of, depth));
        ScalarKind::Construct { constructor, payload }
    }

    fn arithmetic(&mut self, of: &Type, count: usize, depth: usize) -> ScalarKind {
        let all = [Binary::Add, Binary::Subtract, Binary::Multiply, Binary::Divide, Binary::Remainder];
        let operator = all[self.random.below(count)];
        ScalarKind::Binary(operator, self.boxed(of, depth), self.boxed(of, depth))
    }

    fn condition(&mut self, depth: usize) -> ScalarKind {
        let any = self.any();
        let (text, bool) = (&Type::Text, &Type::Bool);
        match self.random.below(6) {
            0 => ScalarKind::Not(self.boxed(bool, depth)),
            1 => {
                let operator = [Binary::And, Binary::Or][self.random.below(2)];
                ScalarKind::Binary(operator, self.boxed(bool, depth), self.boxed(bool, depth))
            }
            2 => {
                let function = [F::Contains, F::StartsWith, F::EndsWith][self.random.below(3)];
                self.call(function, &[text, text], depth)
            }
            3 => {
                let function = [F::IsSome, F::IsNone][self.random.below(2)];
                self.call(function, &[&Type::Option(Box::new(any))], depth)
            }
            4 => self.call(F::ContainsItem, &[&Type::List(Box::new(any.clone())), &any], depth),
            _ => {
                let all = [
                    Binary::Equal,
                    Binary::Unequal,
                    Binary::Less,
                    Binary::LessEqual,
                    Binary::Greater,
                    Binary::GreaterEqual,
                ];
                let operator = all[self.random.below(6)];
                ScalarKind::Binary(operator, self.boxed(&any, depth), self.boxed(&any, depth))
            }
        }
    }

    fn list(&mut self, of: &Type, item: &Type, depth: usize) -> ScalarKind {
        match (self.random.below(8), item) {
            (0, _) => ScalarKind::List((0..self.random.below(3)).map(|_| self.scalar(item, depth)).collect()),
            (1, _) => self.call(F::ConcatLists, &[of, of], depth),
            (2, _) => self.call(F::Sort, &[of], depth),
            (3, _) => self.call(F::Reverse, &[of], depth),
            (4, _) => {
                let list = self.scalar(of, depth);
                let kept = self.function(&[item], &Type::Bool, depth);
                ScalarKind::Call(F::Filter, vec![list, kept])
            }
            (5, Type::Text) => self.call(F::Split, &[item, item], depth),
            (5, Type::Int) => {
                // Short ones: how long a list may be is another test.
                let (from, ten) = (self.boxed(item, depth), self.with(ScalarKind::Int(10), item));
                let to = ScalarKind::Binary(Binary::Remainder, from, Box::new(ten));
                let bounds = vec![self.with(ScalarKind::Int(-2), item), self.with(to, item)];
                ScalarKind::Call(F::Range, bounds)
            }
            _ => {
                let other = self.any();
                let list = self.scalar(&Type::List(Box::new(other.clone())), depth);
                let each = self.function(&[&other], item, depth);
                ScalarKind::Call(F::Map, vec![list, each])
            }
        }
    }
}
