# SPDX-License-Identifier: Apache-2.0
"""Pages with a mistake each, which the check of code blocks must find, and one without."""

from blocks import read_blocks
from run_page import PageRun, run_all

# The mistake -> the page. One mistake in C++ is enough: the compiler finds them.
WRONG = {
    "no language": "```\nprint(1)\n```\n",
    "unknown language": "```rust\nfn main() {}\n```\n",
    "unknown modifier": "```python maybe\n1\n```\n",
    "text of no kind": "```text\n1\n```\n",
    "no end": "```python\n1\n",
    "an exception": "```python\n1 / 0\n```\n",
    "no Python": "```python\nx = = 1\n```\n",
    "another value": "```python\nprint([1, 2])                # [1, 3]\n```\n",
    "another number": "```python\nprint(0.36)                  # 0.3, nearly\n```\n",
    "a value that is cut off": "```python\nprint([1, 2])                # [1, 2, 3]\n```\n",
    "another value of an expression": "```python\n1 + 1    # 3: a sum\n```\n",
    "another value in a block": "```python\nfor i in [1]:\n    print(i)   # 2\n```\n",
    "another word": "```python\nprint('a')   # b\n```\n",
    "nothing printed": "```python\nx = 1\nif x == 2:\n    print(x)   # 1\n```\n",
    "names of another page": "```python\nprint(names_of_another_page)\n```\n",
    "another output": "```python\nprint('a')\nprint('b')\n```\n```text output\na\n```\n",
    "another sample": "```python\nprint('took 1 s')\n```\n```text sample\ntook 3 ms\n```\n",
    "an output of nothing": "```text output\na\n```\n",
    "a session": "```pycon\n>>> 1 + 1\n3\n```\n",
    "a failing command": "```sh\nfalse\n```\n",
    "no target": "```sh checked\nmake everything\n```\n",
    "no group": "```sh checked\nmake test ARGS='--only colours'\n```\n",
    "no preset": "```sh checked\ncmake --preset fast\n```\n",
    "no option of CMake": "```sh checked\ncmake -S . -B b -DRINGLET_FAST=ON\n```\n",
    "no subcommand": "```sh checked\nringlet fly\n```\n",
    "no option": "```sh checked\nringlet info --fly\n```\n",
    "no test": "```sh checked\nbuild/dev/tests/unit_ntt --gtest_filter='Nothing*'\n```\n",
    "no script": "```sh checked\nscripts/fly.sh\n```\n",
    "no variable": "```sh checked\nRINGLET_COLOUR=1 ringlet info\n```\n",
    "no package": "```sh checked\napt-get install fly\n```\n",
    "no command": "```sh checked\nfly\n```\n",
    "no JSON": "```json\n{1}\n```\n",
    "no Verilog": "```verilog\nassign = 1\n```\n",
    "no package of CMake": "```cmake\nfind_package(fly REQUIRED)\n```\n",
    "C++": '```cpp\nint x = "a";\n```\n',
    "no include": '```cpp\nstd::cout << 1;\n```\n',
    "a program that fails": "```cpp\n#include <cstdlib>\nstd::exit(1);\n```\n",
}
RIGHT = """\
```python
x = [1.0, 4.0000001]
print(x)            # [1. 4.]: squares
x[0]                # 1.0
```

```python
print("a"); print("b 2.5")
```

```text output
a
...
```

```python
print("took 12 ms")
```

```text sample
took 7 ms
```

```cpp
#include <iostream>
#include <vector>

std::vector<int> numbers{1, 2};
std::cout << numbers.size() << "\\n";
```

```text output
2
```

```sh checked
make test ARGS='--only structure,unit' && RINGLET_THREADS=2 ringlet bench ntt   # two
```
"""


def problems_of(text, name, setting):
    """What is found in the page with this text."""
    blocks, problems = read_blocks(name, text)
    if blocks:
        for result in run_all([blocks], setting, PageRun.run)[0]:
            problems += result.problems
    return problems


def missed(setting):
    """Mistakes that were not found, and mistakes that were found where there are none."""
    wanted = {
        what: text for what, text in WRONG.items() if setting.flags or not needs_library(text)
    }
    right = RIGHT if setting.flags else RIGHT[: RIGHT.index("```cpp")]
    found = [
        f"'{what}' was not found"
        for number, (what, text) in enumerate(wanted.items())
        if not problems_of(text, f"sample_{number}.md", setting)
    ]
    return found + [f"found though right: {p}" for p in problems_of(right, "right.md", setting)]


def needs_library(text):
    """Whether a page has blocks that need an installed library."""
    return "cpp" in text or "```cmake" in text


__all__ = ["missed"]
