"""Turn a module that is in use into a mutant of itself, without another import: its functions get other code."""

from types import CodeType, FunctionType, ModuleType


def changed_functions(source: str, mutated: str) -> dict[str, CodeType] | None:
    """Return the new code of the functions that differ, by name; None if something outside of functions does."""
    (old, old_bodies), (new, new_bodies) = (_parts(compile(text, "module", "exec")) for text in (source, mutated))
    if old_bodies != new_bodies or old.keys() != new.keys():
        return None
    return {name: code for name, code in new.items() if code != old[name]}


def _parts(code: CodeType) -> tuple[dict[str, CodeType], list[tuple]]:
    """Return the code of the functions of a module and its classes, and of what is around them."""
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    others = [repr(constant) for constant in code.co_consts if not isinstance(constant, CodeType)]
    functions, bodies = {}, [(code.co_name, code.co_code, code.co_names, tuple(others))]
    for part in inner:
        if not part.co_flags & 1:  # the body of a class, which has no fast local variables
            its_functions, its_bodies = _parts(part)
            functions |= {f"{part.co_name}.{name}": value for name, value in its_functions.items()}
            bodies += its_bodies
        else:
            functions[part.co_name] = part
    return functions, bodies


def patch(module: ModuleType, functions: dict[str, CodeType]) -> bool:
    """Give functions of a module other code; False if one of them is not found as a plain function."""
    found = {name: _function(module, name) for name in functions}
    if any(function is None for function in found.values()):
        return False
    for name, function in found.items():
        function.__code__ = functions[name].replace(co_filename=function.__code__.co_filename)
    return True


def _function(module: ModuleType, name: str) -> FunctionType | None:
    """Find a function by its name, also behind a decorator."""
    owner, value = module, None
    for part in name.split("."):
        value = vars(owner).get(part)
        owner = value
    for attribute in ("fget", "__func__", "__wrapped__"):
        value = getattr(value, attribute, value)
    is_own = isinstance(value, FunctionType) and value.__module__ == module.__name__ and value.__qualname__ == name
    return value if is_own else None
