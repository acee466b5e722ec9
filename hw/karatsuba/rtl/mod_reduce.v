// SPDX-License-Identifier: Apache-2.0
// value modulo q for value below 2^STEPS * q by restoring division, one bit of the quotient per
// stage. It needs no multiplier and no constant but q. Takes a value in every cycle; latency STEPS
// + 1.
module mod_reduce #(
    parameter Q_BITS = 128,
    parameter STEPS  = 18
) (
    input  wire                    clock,
    input  wire                    reset,
    input  wire [Q_BITS-1:0]       modulus,
    input  wire                    in_valid,
    input  wire [Q_BITS+STEPS-1:0] in_value,
    output wire                    out_valid,
    output wire [Q_BITS-1:0]       out_value
);
  reg [STEPS:0] valid;
  assign out_valid = valid[STEPS];
  always @(posedge clock)
    if (reset) valid <= {(STEPS + 1){1'b0}};
    else valid <= {valid[STEPS-1:0], in_valid};

  genvar s;
  generate
    for (s = 0; s <= STEPS; s = s + 1) begin : stages
      reg [Q_BITS-1:0] rest;         // below q
      if (s < STEPS) begin : tail
        reg [STEPS-s-1:0] bits;      // bits that later stages shift in
      end
      if (s == 0) begin : enter
        always @(posedge clock)
          if (in_valid) {rest, tail.bits} <= in_value;
      end else begin : step
        wire [Q_BITS:0] wide = {stages[s-1].rest, stages[s-1].tail.bits[STEPS-s]};
        wire [Q_BITS:0] less = wide - {1'b0, modulus};
        wire            below = wide < {1'b0, modulus};
        always @(posedge clock)
          if (valid[s-1]) rest <= below ? wide[Q_BITS-1:0] : less[Q_BITS-1:0];
        if (s < STEPS) begin : pass
          always @(posedge clock)
            if (valid[s-1]) tail.bits <= stages[s-1].tail.bits[STEPS-s-1:0];
        end
        wire unused = &{1'b0, less[Q_BITS]};
      end
    end
  endgenerate
  assign out_value = stages[STEPS].rest;
endmodule
