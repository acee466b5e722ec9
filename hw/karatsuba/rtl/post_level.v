// SPDX-License-Identifier: Apache-2.0
// One post-recursion on all lanes: products of N coefficients come in ternary order, low, high,
// middle, and leave as polynomials of 2N + 1, one coefficient every STRIDE cycles. Over integers,
// or, when MODULAR, over residues modulo q. `room` says that a whole polynomial may come; `reserve`
// takes it.
module post_level #(
    parameter LANES   = 4,
    parameter WIDTH   = 148,
    parameter N       = 19,
    parameter STRIDE  = 1,
    parameter MODULAR = 0,
    parameter Q_BITS  = 128
) (
    input  wire                   clock,
    input  wire                   reset,
    input  wire [Q_BITS-1:0]      modulus,
    output wire                   room,
    input  wire                   reserve,
    input  wire                   in_valid,
    input  wire [LANES*WIDTH-1:0] in_data,
    input  wire                   next_room,
    output wire                   next_start,
    output wire                   out_valid,
    output wire [LANES*WIDTH-1:0] out_data
);
  localparam INDEX = $clog2(N);
  localparam LATENCY = MODULAR != 0 ? 4 : 2;
  localparam [INDEX-1:0] LAST = N[INDEX-1:0] - 1'b1;

  reg  [2:0]       held;          // products reserved and not yet consumed, of six
  reg  [INDEX-1:0] fill_index;
  reg  [1:0]       fill_digit;
  reg              fill_set, read_set;
  reg  [1:0]       complete;      // sets of three that wait or are read
  wire             start, finished, read, use_outer, outer_high, use_middle;
  wire [INDEX-1:0] outer_index, middle_index;
  reg              outer_used, middle_used;
  reg  [LATENCY:0] enable;
  wire poly_in = in_valid && fill_index == LAST;
  wire three_in = poly_in && fill_digit == 2'd2;

  assign room = held < 3'd6;
  assign next_start = start;
  assign out_valid = enable[LATENCY];

  post_control #(.N(N), .INDEX(INDEX), .STRIDE(STRIDE)) walk (
      .clock(clock), .reset(reset), .ready(complete != 2'd0 && !(finished && complete == 2'd1)),
      .room(next_room), .start(start), .finished(finished), .read(read), .outer(use_outer),
      .outer_high(outer_high), .outer_index(outer_index), .middle(use_middle),
      .middle_index(middle_index));

  always @(posedge clock) begin
    if (reset) begin
      held       <= 3'd0;
      fill_index <= {INDEX{1'b0}};
      fill_digit <= 2'd0;
      fill_set   <= 1'b0;
      read_set   <= 1'b0;
      complete   <= 2'd0;
      enable     <= {(LATENCY + 1){1'b0}};
    end else begin
      held <= held + {2'b0, reserve} - (finished ? 3'd3 : 3'd0);
      if (in_valid) fill_index <= poly_in ? {INDEX{1'b0}} : fill_index + 1'b1;
      if (poly_in) fill_digit <= three_in ? 2'd0 : fill_digit + 2'd1;
      fill_set <= fill_set ^ three_in;
      read_set <= read_set ^ finished;
      complete <= complete + {1'b0, three_in} - {1'b0, finished};
      enable   <= {enable[LATENCY-1:0], read};
    end
    if (read) begin
      outer_used  <= use_outer;
      middle_used <= use_middle;
    end
  end

  genvar lane;
  generate
    for (lane = 0; lane < LANES; lane = lane + 1) begin : lanes
      wire [WIDTH-1:0] outer, low, high, middle;
      post_store #(.WIDTH(WIDTH), .N(N), .INDEX(INDEX)) store (
          .clock(clock), .write(in_valid), .write_set(fill_set), .write_digit(fill_digit),
          .write_index(fill_index), .write_data(in_data[lane*WIDTH +: WIDTH]),
          .read_set(read_set), .read_outer(read && use_outer), .outer_high(outer_high),
          .outer_index(outer_index), .read_middle(read && use_middle),
          .middle_index(middle_index), .outer(outer), .low(low), .high(high), .middle(middle));
      if (MODULAR != 0) begin : residues
        modular_post_unit #(.WIDTH(WIDTH)) unit (
            .clock(clock), .enable(enable[LATENCY-1:0]), .modulus(modulus),
            .use_outer(outer_used), .use_middle(middle_used), .outer(outer), .low(low),
            .high(high), .middle(middle), .result(out_data[lane*WIDTH +: WIDTH]));
      end else begin : integers
        wire unused = &{1'b0, modulus};
        post_unit #(.WIDTH(WIDTH)) unit (
            .clock(clock), .enable(enable[LATENCY-1:0]), .use_outer(outer_used),
            .use_middle(middle_used), .outer(outer), .low(low), .high(high), .middle(middle),
            .result(out_data[lane*WIDTH +: WIDTH]));
      end
    end
  endgenerate
endmodule
