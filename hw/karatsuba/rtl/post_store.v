// SPDX-License-Identifier: Apache-2.0
// Memory of one post-recursion on one lane: two sets of three products of N coefficients, low, high
// and middle. One set is filled in order while the other is read: low or high at one index (outer),
// and all three at another (middle).
module post_store #(
    parameter WIDTH = 148,
    parameter N     = 19,
    parameter INDEX = 5
) (
    input  wire             clock,
    input  wire             write,
    input  wire             write_set,
    input  wire [1:0]       write_digit,    // low 0, high 1, middle 2
    input  wire [INDEX-1:0] write_index,
    input  wire [WIDTH-1:0] write_data,
    input  wire             read_set,
    input  wire             read_outer,
    input  wire             outer_high,
    input  wire [INDEX-1:0] outer_index,
    input  wire             read_middle,
    input  wire [INDEX-1:0] middle_index,
    output wire [WIDTH-1:0] outer,
    output wire [WIDTH-1:0] low,
    output wire [WIDTH-1:0] high,
    output wire [WIDTH-1:0] middle
);
  localparam ADDRESS = $clog2(2 * N);
  localparam OUTER_ADDRESS = $clog2(4 * N);
  localparam [OUTER_ADDRESS-1:0] SECOND = N[OUTER_ADDRESS-1:0];
  localparam [OUTER_ADDRESS-1:0] THIRD = {N[OUTER_ADDRESS-2:0], 1'b0};
  localparam [ADDRESS-1:0] NEXT_SET = N[ADDRESS-1:0];

  function [OUTER_ADDRESS-1:0] outer_at(input set, input is_high, input [INDEX-1:0] index);
    outer_at = {{(OUTER_ADDRESS - INDEX){1'b0}}, index}
               + (set ? THIRD : {OUTER_ADDRESS{1'b0}}) + (is_high ? SECOND : {OUTER_ADDRESS{1'b0}});
  endfunction
  function [ADDRESS-1:0] at(input set, input [INDEX-1:0] index);
    at = {{(ADDRESS - INDEX){1'b0}}, index} + (set ? NEXT_SET : {ADDRESS{1'b0}});
  endfunction

  wire [ADDRESS-1:0] write_at = at(write_set, write_index);
  wire [ADDRESS-1:0] read_at = at(read_set, middle_index);

  ram_1w1r #(.WIDTH(WIDTH), .DEPTH(4 * N), .ADDRESS(OUTER_ADDRESS)) outers (
      .clock(clock), .write(write && !write_digit[1]),
      .write_address(outer_at(write_set, write_digit[0], write_index)), .write_data(write_data),
      .read(read_outer), .read_address(outer_at(read_set, outer_high, outer_index)),
      .read_data(outer));
  ram_1w1r #(.WIDTH(WIDTH), .DEPTH(2 * N), .ADDRESS(ADDRESS)) lows (
      .clock(clock), .write(write && write_digit == 2'd0), .write_address(write_at),
      .write_data(write_data), .read(read_middle), .read_address(read_at), .read_data(low));
  ram_1w1r #(.WIDTH(WIDTH), .DEPTH(2 * N), .ADDRESS(ADDRESS)) highs (
      .clock(clock), .write(write && write_digit == 2'd1), .write_address(write_at),
      .write_data(write_data), .read(read_middle), .read_address(read_at), .read_data(high));
  ram_1w1r #(.WIDTH(WIDTH), .DEPTH(2 * N), .ADDRESS(ADDRESS)) middles (
      .clock(clock), .write(write && write_digit == 2'd2), .write_address(write_at),
      .write_data(write_data), .read(read_middle), .read_address(read_at), .read_data(middle));
endmodule
