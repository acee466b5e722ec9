// SPDX-License-Identifier: Apache-2.0
// Walks through one post-recursion of Karatsuba: from three products of N = 2h - 1 coefficients,
// low L, high H and middle M, to one of 2N + 1, one coefficient every STRIDE cycles:
//   result[j] = outer + M[j - h] - L[j - h] - H[j - h],
//   outer = L[j] for j < N, H[j - 2h] for j >= 2h,
// where values out of range are 0. Starts when three products are `ready` and the next stage has
// `room` for a polynomial, which `start` reserves.
module post_control #(
    parameter N      = 9,
    parameter INDEX  = 4,        // clog2(N)
    parameter STRIDE = 1
) (
    input  wire             clock,
    input  wire             reset,
    input  wire             ready,
    input  wire             room,
    output wire             start,
    output wire             finished,      // the last read is in this cycle
    output wire             read,
    output wire             outer,
    output wire             outer_high,
    output wire [INDEX-1:0] outer_index,
    output wire             middle,
    output wire [INDEX-1:0] middle_index
);
  localparam H = (N + 1) / 2;
  localparam J = $clog2(2 * N + 1);
  localparam S = STRIDE > 1 ? $clog2(STRIDE) : 1;
  localparam [J-1:0] OUTER_END = N[J-1:0];
  localparam [J-1:0] MIDDLE_BEGIN = H[J-1:0];
  localparam [J-1:0] MIDDLE_END = OUTER_END + MIDDLE_BEGIN;
  localparam [J-1:0] HIGH_BEGIN = OUTER_END + 1'b1;
  localparam [J-1:0] LAST = {N[J-2:0], 1'b0};
  localparam [S-1:0] LAST_STEP = STRIDE[S-1:0] - 1'b1;

  reg          running;
  reg  [J-1:0] j;
  reg  [S-1:0] step;
  wire [J-1:0] outer_wide = outer_high ? j - HIGH_BEGIN : j;
  wire [J-1:0] middle_wide = j - MIDDLE_BEGIN;

  assign finished = running && j == LAST && step == LAST_STEP;
  assign start = ready && room && (!running || finished);
  assign read = running && step == {S{1'b0}};
  assign outer_high = j >= HIGH_BEGIN;
  assign outer = j < OUTER_END || outer_high;
  assign middle = j >= MIDDLE_BEGIN && j < MIDDLE_END;
  assign outer_index = outer_wide[INDEX-1:0];
  assign middle_index = middle_wide[INDEX-1:0];
  wire unused = &{1'b0, outer_wide[J-1:INDEX], middle_wide[J-1:INDEX]};

  always @(posedge clock)
    if (reset) begin
      running <= 1'b0;
      j       <= {J{1'b0}};
      step    <= {S{1'b0}};
    end else begin
      if (start) running <= 1'b1;
      else if (finished) running <= 1'b0;
      if (running) begin
        step <= step == LAST_STEP ? {S{1'b0}} : step + 1'b1;
        if (step == LAST_STEP) j <= finished ? {J{1'b0}} : j + 1'b1;
      end
    end
endmodule
