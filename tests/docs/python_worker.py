# SPDX-License-Identifier: Apache-2.0
"""Runs the Python blocks of one page, in a process of its own.

Each line of standard input is a block as JSON {"page", "line", "text", "fresh", "is_session"}; each
line that goes back is JSON {"problems", "printed", "rest", "compared"}, rest being what was printed
less what comments show. The names of blocks live in __main__, as in a program, so that they can be
handed to other processes.
"""

import ast
import contextlib
import doctest
import io
import json
import linecache
import os
import sys
import tokenize
import traceback
import types

from expected import agrees, is_value, same_text

VALUE = "_ringlet_value_of_line_"


def comments(text):
    """Line -> its comment."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return {t.start[0]: t.string.lstrip("#").strip() for t in tokens if t.type == tokenize.COMMENT}


def is_print(statement):
    """Whether the statement is a call of print."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Name)
        and statement.value.func.id == "print"
    )


class Values(ast.NodeTransformer):
    """Hands the value of every bare expression to a function that keeps it."""

    def visit_Expr(self, node):  # noqa: N802 - the name that ast asks for
        """Wraps the expression, unless it is a call of print or a constant."""
        if is_print(node) or isinstance(node.value, ast.Constant | ast.Await | ast.Yield):
            return node
        call = ast.Call(
            ast.Name(VALUE, ast.Load()), [ast.Constant(node.lineno), node.value], []
        )
        return ast.copy_location(ast.Expr(ast.copy_location(call, node)), node)


class Checker(doctest.OutputChecker):
    """Compares what a line of a session printed as comments are compared."""

    def check_output(self, want, got, optionflags):
        return same_text(got, want)


class Page:
    """The names of a page, and what its blocks print."""

    def __init__(self):
        self.start()

    def start(self):
        self.module = types.ModuleType("__main__")
        self.shown = {}
        self.printed = []
        sys.modules["__main__"] = self.module
        self.module.__dict__["print"] = self._print
        self.module.__dict__[VALUE] = self._value

    def _print(self, *values, **options):
        if options.get("file") is None:
            text = io.StringIO()
            print(*values, **{**options, "file": text})
            frame = sys._getframe(1)
            place = (frame.f_code.co_filename, frame.f_lineno)
            self.shown.setdefault(place, []).append(text.getvalue())
            self.printed.append((frame.f_lineno, text.getvalue()))
        print(*values, **options)

    def _value(self, line, value):
        place = (sys._getframe(1).f_code.co_filename, line)
        self.shown.setdefault(place, []).append("" if value is None else repr(value))
        return value

    def compile(self, text, name, line):
        """The block as code, and its expressions that have a comment."""
        tree = ast.parse(text, name)
        written = comments(text)
        commented = [
            (node, written[node.end_lineno or node.lineno])
            for node in ast.walk(tree)
            if isinstance(node, ast.Expr) and (node.end_lineno or node.lineno) in written
        ]
        changed = ast.fix_missing_locations(Values().visit(tree))
        return compile(changed, name, "exec", dont_inherit=True), commented

    def run(self, block):
        if block["fresh"]:
            self.start()
        self.shown.clear()
        self.printed.clear()
        if block["is_session"]:
            return self.run_session(block)
        text, first, page = block["text"], block["line"], block["page"]
        name = f"{page}:{first}"
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        output, problems, compared = io.StringIO(), [], 0
        try:
            code, commented = self.compile(text, name, first)
            with contextlib.redirect_stdout(output):
                exec(code, self.module.__dict__)  # noqa: S102 - blocks of the repository's pages
        except BaseException as error:  # noqa: BLE001 - whatever a block does, it is reported
            line = self._line_of(error, name)
            what = traceback.format_exception_only(error)[-1].strip()
            problems.append(f"{page}:{first + line - 1}: {what}")
            return {"problems": problems, "printed": output.getvalue(), "rest": "", "compared": 0}
        told = set()
        for node, comment in commented:
            if not is_value(comment, is_print(node)):
                continue
            shown = self.shown.get((name, node.lineno), [])
            if shown and not any(shown) and not is_print(node):
                continue
            compared += 1
            printed = " ".join(shown).strip()
            if is_print(node):
                told.add(node.lineno)
            if not agrees(printed, comment):
                place = first + (node.end_lineno or node.lineno) - 1
                problems.append(f"{page}:{place}: '{comment}' is shown, '{printed}' was printed")
        rest = "".join(text for line, text in self.printed if line not in told)
        reply = {"problems": problems, "printed": output.getvalue(), "rest": rest}
        return {**reply, "compared": compared}

    def run_session(self, block):
        """Runs the lines of a block that begin with >>>."""
        place, output = f"{block['page']}:{block['line']}", io.StringIO()
        test = doctest.DocTestParser().get_doctest(
            block["text"], self.module.__dict__, place, block["page"], block["line"] - 1
        )
        test.globs = self.module.__dict__
        self.module.__dict__.pop("print", None)
        runner = doctest.DocTestRunner(checker=Checker(), verbose=False)
        runner.run(test, out=output.write, clear_globs=False)
        self.module.__dict__["print"] = self._print
        problems = [] if not runner.failures else [f"{place}: {output.getvalue().strip()}"]
        if not test.examples:
            problems.append(f"{place}: a session without a line that begins with >>>")
        return {"problems": problems, "printed": "", "rest": "", "compared": runner.tries}

    @staticmethod
    def _line_of(error, name):
        """The line of the block where the error came from."""
        if isinstance(error, SyntaxError):
            return error.lineno or 1
        frames = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == name]
        return (frames[-1] if frames else 1) or 1


def main():
    """Serves blocks until the end of standard input."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    page = Page()
    for line in os.fdopen(os.dup(0), encoding="utf-8"):
        print(json.dumps(page.run(json.loads(line))), file=replies, flush=True)


if __name__ == "__main__":
    main()
