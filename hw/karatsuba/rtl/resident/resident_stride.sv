// SPDX-License-Identifier: Apache-2.0
// One sparse factor of a cyclotomic polynomial on a stream of residues modulo q, three cycles behind:
//   RUNNING = 0: y[i] = x[i] - x[i - DELAY], multiplication by 1 - X^DELAY;
//   RUNNING = 1: y[i] = x[i] + y[i - DELAY], division by it.
// Elements before the element with in_first count as 0. DELAY is at least 3.
module resident_stride #(
    parameter int WIDTH = 125,
    parameter int DELAY = 11,
    parameter bit RUNNING = 1'b0
) (
    input  logic             clk,
    input  logic [WIDTH-1:0] q,
    input  logic             in_valid,
    input  logic             in_first,
    input  logic [WIDTH-1:0] in_value,
    output logic             out_valid,
    output logic             out_first,
    output logic [WIDTH-1:0] out_value
);
  localparam int PLACE_BITS = $clog2(DELAY);
  localparam logic [PLACE_BITS-1:0] LAST = PLACE_BITS'(DELAY - 1);

  logic [PLACE_BITS-1:0] place, here, here1, here2;
  logic fresh, fresh_here, fresh1;
  logic valid1, valid2, first1, first2;
  logic [WIDTH-1:0] old1, earlier1, value1, result;
  logic [WIDTH:0] raw2;

  assign here = in_first ? '0 : place;
  assign fresh_here = in_first | fresh;

  resident_ram #(
      .WIDTH(WIDTH),
      .DEPTH(DELAY)
  ) delayed (
      .clk(clk),
      .write(RUNNING ? valid2 : in_valid),
      .write_place(RUNNING ? here2 : here),
      .write_word(RUNNING ? result : in_value),
      .read_place(here),
      .read_word(old1)
  );

  generate
    if (RUNNING) begin : g_sum
      // From 0 to 2q - 2.
      logic [WIDTH+1:0] less;
      assign less = {1'b0, raw2} - {2'b00, q};
      assign result = less[WIDTH+1] ? raw2[WIDTH-1:0] : less[WIDTH-1:0];
      always_ff @(posedge clk) raw2 <= {1'b0, value1} + {1'b0, earlier1};
    end else begin : g_difference
      // From -(q - 1) to q - 1; the leading bit is the sign.
      logic [WIDTH-1:0] more;
      assign more = raw2[WIDTH-1:0] + q;
      assign result = raw2[WIDTH] ? more : raw2[WIDTH-1:0];
      always_ff @(posedge clk) raw2 <= {1'b0, value1} - {1'b0, earlier1};
    end
  endgenerate
  assign earlier1 = old1 & {WIDTH{~fresh1}};

  always_ff @(posedge clk) begin
    if (in_valid) begin
      place <= here == LAST ? '0 : here + 1'b1;
      fresh <= fresh_here & (here != LAST);
    end
    valid1 <= in_valid;
    first1 <= in_first;
    here1 <= here;
    fresh1 <= fresh_here;
    value1 <= in_value;

    valid2 <= valid1;
    first2 <= first1;
    here2 <= here1;

    out_valid <= valid2;
    out_first <= first2;
    out_value <= result;
  end
endmodule
