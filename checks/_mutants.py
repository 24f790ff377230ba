"""Mutants of a source file, made by the operators of cosmic-ray."""

import ast
import pickle
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import MutationVisitor
from cosmic_ray.plugins import get_operator

# Of the many replacements that cosmic-ray has for an operator, those that are hardest to notice: the opposite one, and
# the one that differs only at equality. An addition that becomes a shift fails at once, and would flatter the score.
BINARY = (
    "Add_Sub Sub_Add Mul_Div Div_Mul FloorDiv_Mul Mod_Mul Pow_Mul LShift_RShift RShift_LShift BitOr_BitAnd BitAnd_BitOr"
)
COMPARISON = "Eq_NotEq NotEq_Eq Lt_LtE Lt_GtE LtE_Lt LtE_Gt Gt_GtE Gt_LtE GtE_Gt GtE_Lt Is_IsNot IsNot_Is"
UNARY = "Delete_USub Delete_Invert Delete_Not"
OTHERS = """AddNot ReplaceTrueWithFalse ReplaceFalseWithTrue ReplaceAndWithOr ReplaceOrWithAnd ReplaceBreakWithContinue
    ReplaceContinueWithBreak ExceptionReplacer NumberReplacer RemoveDecorator ZeroIterationForLoop"""
OPERATORS = [
    *(f"core/ReplaceBinaryOperator_{name}" for name in BINARY.split()),
    *(f"core/ReplaceComparisonOperator_{name}" for name in COMPARISON.split()),
    *(f"core/ReplaceUnaryOperator_{name}" for name in UNARY.split()),
    *(f"core/{name}" for name in OTHERS.split()),
]


@dataclass(frozen=True)
class Mutant:
    """A changed source, and the line that was changed."""

    source: str
    line: int
    old: str
    new: str

    @property
    def name(self) -> str:
        """What was changed; it stays the same when lines above it come or go."""
        return f"{self.old}  ->  {self.new}"


@cache
def mutants(source: str) -> list[Mutant]:
    """Return all mutants of a source that run otherwise than it does, by line."""
    tree = pickle.dumps(get_ast(source))
    seen, result = {_meaning(source)}, []
    for name in OPERATORS:
        operator = get_operator(name)()
        places = sum(len(list(operator.mutation_positions(node))) for node in ast_nodes(pickle.loads(tree)))
        for occurrence in range(places):
            mutated = MutationVisitor(occurrence, operator).walk(pickle.loads(tree)).get_code()
            meaning = _meaning(mutated)
            if meaning not in seen:
                seen.add(meaning)
                result.append(Mutant(mutated, *_difference(source, mutated)))
    return sorted(result, key=lambda mutant: (mutant.line, mutant.new))


def _meaning(source: str) -> str:
    """Return what is run of a source: annotations are not, but for those that dataclasses look at."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return "nothing"
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.ClassDef) and not node.decorator_list:
            node.body = [part for part in node.body if not (isinstance(part, ast.AnnAssign) and part.value is None)]
    return ast.dump(tree)


def _difference(source: str, mutated: str) -> tuple[int, str, str]:
    """Return the number of the first line that differs, and the lines before and after, without spaces around them."""
    old, new = source.splitlines(), mutated.splitlines()
    changes = [code for code in SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if code[0] != "equal"]
    start, stop, new_start, new_stop = changes[0][1], changes[-1][2], changes[0][3], changes[-1][4]
    text = " ".join(" ".join(old[start:stop]).split()), " ".join(" ".join(new[new_start:new_stop]).split())
    return start + 1, *text
