# SPDX-License-Identifier: Apache-2.0
"""Whether place.py reports what a block takes, what is short, and which results it keeps; on two
small modules. Skipped unless the tools are installed (`place.py --install`).
"""

import json
import sys
import tempfile
from argparse import Namespace
from pathlib import Path

import place
from report import Skipped, arguments, finish
from synthesize import plain_name

# One multiplier of 18 x 18 bits between 72 flip-flops, and a memory of 64 blocks of 18 Kbit, of
# which the device has 56.
VERILOG = """
module product(input wire clock, input wire [17:0] a, b, output reg [35:0] c);
  reg [17:0] x, y;
  always @(posedge clock) begin
    {x, y} <= {a, b};
    c <= x * y;
  end
endmodule
module store(input wire clock, write, input wire [14:0] at, input wire [35:0] in,
             output reg [35:0] out);
  reg [35:0] words [0:32767];
  always @(posedge clock) begin
    if (write) words[at] <= in;
    out <= words[at];
  end
endmodule
module tiny(input wire clock, write, input wire [35:0] in, output wire [35:0] c, out);
  product one(.clock(clock), .a(in[17:0]), .b(in[35:18]), .c(c));
  store two(.clock(clock), .write(write), .at(in[14:0]), .in(in), .out(out));
endmodule
"""
DESIGN = {"top": "tiny", "files": "tiny.v", "parameters": {}}


def expect(what, found, wanted):
    return [] if found == wanted else [f"{what}: {found} instead of {wanted}"]


def checks():
    if not place.installed():
        yield "place and route", Skipped("python/requirements-place.txt is not installed")
        return
    tools = place.Tools(native=False)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "work"
        folder.mkdir()
        (folder / "tiny.v").write_text(VERILOG)
        options = Namespace(device="25k", seed=1, limit=100)
        jobs = place.jobs_of(folder, "tiny", DESIGN, None, tools)
        blocks = {plain_name(job[1]): job for job in jobs}
        yield "blocks and the top level", expect("", sorted(blocks), ["product", "store", "tiny"])

        def run(name):
            return place.place(folder, options, tools, blocks[name])

        endless = folder / "endless"
        endless.write_text("#!/bin/sh\nwhile :; do :; done\n")
        endless.chmod(0o755)
        state = place.route(folder, "product", [str(endless)], 1)["state"]
        yield "a run that takes too long is named", expect("", state, "stopped after 1 s")
        state = run("store")["state"]
        yield "what is short is named", expect("", state, "does not fit: DP16KD 64 of 56")

        row = run("product")
        counts = [row[column] for column in ("dsp", "ram", "ffs", "state")]
        plausible = 50 < row["fmax_mhz"] < 1000
        problems = expect("dsp, ram, ffs", counts, [1, 0, 72, "routed"])
        problems += expect(f"{row['fmax_mhz']} MHz is plausible", plausible, True)
        yield "a product is routed", problems
        for path in (folder.parent / "results").iterdir():
            path.write_text(json.dumps({"kept": path.name}))
        yield "finished blocks are kept", expect("", "kept" in run("product"), True)
        options.seed = 2
        yield "for another seed they are placed again", expect("", "kept" in run("product"), False)


if __name__ == "__main__":
    options = arguments(__doc__)
    sys.exit(finish("place and route", checks(), options.xml))
