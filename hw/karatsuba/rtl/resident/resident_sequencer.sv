// SPDX-License-Identifier: Apache-2.0
// Orders the steps of all lanes. A block computes CELLS coefficients of the product modulo X^M - 1.
// CELLS steps fill the windows with bits of U while the sums of the previous block leave; then
// DEGREE steps each add one coefficient of the key. A component is as many blocks as cover M
// coefficients; a group of encryptions is two components.
module resident_sequencer #(
    parameter int M = 2783,
    parameter int DEGREE = 2420,
    parameter int CELLS = 398,
    localparam int INDEX_BITS = $clog2(M),
    localparam int BLOCKS = (M + CELLS - 1) / CELLS,
    localparam int BLOCK_BITS = $clog2(BLOCKS),
    localparam int KEY_PLACE_BITS = $clog2(2 * DEGREE),
    localparam int U_WORDS = (DEGREE + 127) / 128,
    localparam int U_PLACE_BITS = $clog2(2 * U_WORDS),
    localparam int RESULT_PLACE_BITS = $clog2(2 * M)
) (
    input  logic                         clk,
    input  logic                         rst,
    input  logic [                  1:0] group_loaded,    // Groups that wait for their products.
    output logic [                  1:0] group_computed,  // Pulses: U is no longer needed.
    input  logic [                  1:0] sums_free,       // Sums of a component may be written.
    output logic [                  1:0] sums_claimed,    // Pulses, when a component begins,
    output logic [                  1:0] sums_complete,   // and when all its sums have left.
    output logic [   U_PLACE_BITS-1:0]   u_place,
    output logic [                6:0]   u_bit,
    output logic                         u_zero,
    output logic [ KEY_PLACE_BITS-1:0]   key_place,
    output logic                         adding,
    output logic                         shifting,
    output logic                         write_valid,
    output logic [RESULT_PLACE_BITS-1:0] write_place
);
  typedef enum logic [1:0] {
    IDLE,
    FILL,
    ADD
  } state_t;

  localparam logic [INDEX_BITS-1:0] LAST_CELL = INDEX_BITS'(CELLS - 1);
  localparam logic [INDEX_BITS-1:0] LAST_STEP = INDEX_BITS'(DEGREE - 1);
  localparam logic [INDEX_BITS-1:0] LAST_INDEX = INDEX_BITS'(M - 1);
  localparam logic [BLOCK_BITS-1:0] LAST_BLOCK = BLOCK_BITS'(BLOCKS - 1);

  state_t state;
  logic [INDEX_BITS-1:0] count;
  logic [INDEX_BITS-1:0] u_index;    // Index of the bit that this step shifts in.
  logic [INDEX_BITS-1:0] top_index;  // Index of the block's first bit: its last cell's.
  logic [BLOCK_BITS-1:0] block;
  logic component, group;
  logic go;                          // A block follows the steps that fill.
  // The block whose sums leave.
  logic leaving, leaving_component, leaving_last;
  logic [INDEX_BITS-1:0] leaving_index;
  logic leaving_inside;

  logic may_start;
  assign may_start = group_loaded[group] & sums_free[component];

  // The successor of the block that ends now.
  logic last_block, next_component, next_group, next_may_start;
  assign last_block = block == LAST_BLOCK;
  assign next_component = component ^ last_block;
  assign next_group = group ^ (last_block & component);
  assign next_may_start = ~last_block | (group_loaded[next_group] & sums_free[next_component]);

  // The next block's first bit: CELLS further, modulo M.
  logic [INDEX_BITS:0] top_sum;
  logic [INDEX_BITS-1:0] top_wrapped, next_top;
  assign top_sum = {1'b0, top_index} + (INDEX_BITS + 1)'(CELLS);
  assign top_wrapped = top_sum[INDEX_BITS-1:0] - INDEX_BITS'(M);
  assign next_top = last_block ? LAST_CELL
                  : top_sum > {1'b0, LAST_INDEX} ? top_wrapped
                  : top_sum[INDEX_BITS-1:0];

  logic fill_ends, add_ends, begins;
  assign fill_ends = state == FILL && count == LAST_CELL;
  assign add_ends  = state == ADD && count == LAST_STEP;
  assign begins    = state == IDLE && may_start;

  always_ff @(posedge clk) begin
    count   <= count + 1'b1;
    u_index <= u_index == '0 ? LAST_INDEX : u_index - 1'b1;
    if (begins) begin
      state     <= FILL;
      count     <= '0;
      u_index   <= LAST_CELL;
      top_index <= LAST_CELL;
      block     <= '0;
      go        <= 1'b1;
      leaving   <= 1'b0;
    end else if (fill_ends) begin
      state   <= go ? ADD : IDLE;
      count   <= '0;
      leaving <= 1'b0;
    end else if (add_ends) begin
      state     <= FILL;
      count     <= '0;
      u_index   <= next_top;
      top_index <= next_top;
      block     <= last_block ? '0 : block + 1'b1;
      component <= next_component;
      group     <= next_group;
      go        <= next_may_start;
      leaving   <= 1'b1;
      leaving_component <= component;
      leaving_last <= last_block;
    end
    // The sums that leave have consecutive indices over the blocks of a component.
    if (state == FILL && leaving) leaving_index <= leaving_index + 1'b1;
    if (begins || (fill_ends && leaving && leaving_last)) leaving_index <= '0;
    if (fill_ends && leaving && leaving_last) leaving_inside <= 1'b1;
    else if (state == FILL && leaving && leaving_index == LAST_INDEX) leaving_inside <= 1'b0;
    if (rst) begin
      state          <= IDLE;
      component      <= 1'b0;
      group          <= 1'b0;
      leaving        <= 1'b0;
      leaving_index  <= '0;
      leaving_inside <= 1'b1;
    end
  end

  // A component is claimed when its first fill steps begin.
  logic claims, claimed_component;
  assign claims = begins | (add_ends & last_block & next_may_start);
  assign claimed_component = begins ? component : next_component;
  assign sums_claimed = {claims & claimed_component, claims & ~claimed_component};
  assign sums_complete = {2{fill_ends & leaving & leaving_last}}
                       & {leaving_component, ~leaving_component};
  assign group_computed = {2{add_ends & last_block & component}} & {group, ~group};

  logic [INDEX_BITS+6:0] u_wide;
  assign u_wide = {7'd0, u_index};
  assign u_place = U_PLACE_BITS'(u_wide >> 7) + (group ? U_PLACE_BITS'(U_WORDS) : '0);
  assign u_bit = u_wide[6:0];
  assign u_zero = u_index > LAST_STEP;
  assign key_place = KEY_PLACE_BITS'(count) + (component ? KEY_PLACE_BITS'(DEGREE) : '0);
  assign adding = state == ADD;
  assign shifting = state == FILL;
  assign write_valid = state == FILL && leaving && leaving_inside;
  assign write_place = RESULT_PLACE_BITS'(leaving_index)
                     + (leaving_component ? RESULT_PLACE_BITS'(M) : '0);
endmodule
