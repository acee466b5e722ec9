// SPDX-License-Identifier: Apache-2.0
// Registers of the host and the life of a job: idle, running, then done or failed. The host
// describes a job, then starts it; while a job runs, descriptions and starts are refused. A stream
// of wrong length or content, or an abort, ends the job: it clears the datapath, drops the rest of
// the input and marks the job as failed with its error. The next job begins from a clear state.
// Addresses are in words of 32 bits: see README.md.
module control #(
    parameter [31:0] SHAPE0 = 32'd0,    // leaf, software, hardware pre- and post-recursions
    parameter [31:0] SHAPE1 = 32'd0,    // chunk bits, chunks, units, lanes
    parameter SUBPOLYS     = 729,
    parameter COEFFS       = 40,
    parameter OUT_POLYS    = 81,
    parameter OUT_COEFFS   = 319,
    parameter LANES        = 4,
    parameter CHUNKS       = 5,
    parameter Q_BITS       = 128,
    parameter MAX_Q_BITS   = 126,
    parameter DEPTH_LOG    = 16,
    parameter UNITS        = 4
) (
    input  wire               clock,
    input  wire               power_on,
    // host
    input  wire               write,
    input  wire [5:0]         address,
    input  wire [31:0]        write_data,
    output reg  [31:0]        read_data,
    // job
    output reg                reset,          // of the datapath
    output reg  [Q_BITS-1:0]  modulus,
    output wire [CHUNKS-1:0]  lanes,
    output reg  [DEPTH_LOG:0] hold,
    output reg  [7:0]         rx_closed,
    output reg  [7:0]         tx_closed,
    output reg                stream_reset,
    output wire               open,
    output reg                drop,
    output reg                drop_all,
    // events
    input  wire               truncated,
    input  wire               too_long,
    input  wire               malformed,
    input  wire               overflow,
    input  wire               last_seen,
    input  wire               tx_pending,
    input  wire               finished,
    input  wire               accepted,
    input  wire               sent,
    input  wire               rx_waits,
    input  wire               tx_waits,
    input  wire               dispatch,
    input  wire [UNITS-1:0]   busy
);
  localparam [2:0] IDLE = 3'd0, RUNNING = 3'd1, DONE = 3'd2, FAILED = 3'd3, DRAINING = 3'd4;
  localparam [3:0] NONE = 4'd0, SHAPE = 4'd1, ENCRYPTIONS = 4'd2, MODULUS = 4'd3, HOLD = 4'd4,
                   TRUNCATED = 4'd5, TOO_LONG = 4'd6, MALFORMED = 4'd7, OVERFLOW = 4'd8,
                   ABORTED = 4'd9;
  localparam [31:0] IDENTITY = 32'h4b415241;
  localparam [31:0] COMMAND_START = 32'd1, COMMAND_ABORT = 32'd2;
  localparam [31:0] DEPTH = 1 << DEPTH_LOG;
  localparam [31:0] MAX_HOLD = (1 << DEPTH_LOG) - OUT_COEFFS * CHUNKS;

  reg  [2:0]   state;
  reg  [3:0]   error;
  reg          refused;
  reg  [31:0]  job_subpolys, job_coeffs, job_encryptions, job_hold;
  reg  [127:0] job_modulus;
  reg  [31:0]  cycles, rx_bursts, tx_bursts, products, busy_cycles, rx_stalls, tx_stalls;

  wire running = state == RUNNING;
  wire settled = state == IDLE || state == DONE || state == FAILED;
  wire commands = write && address == 6'd8;
  wire starts = commands && write_data == COMMAND_START;
  wire aborts = commands && write_data == COMMAND_ABORT && (running || state == DRAINING);
  wire stream_error = truncated || too_long || malformed || overflow;
  wire [127:0] modulus_high = job_modulus >> MAX_Q_BITS;
  wire [3:0] start_error =
      job_subpolys != SUBPOLYS || job_coeffs != COEFFS ? SHAPE
      : job_encryptions == 32'd0 || job_encryptions > LANES ? ENCRYPTIONS
      : modulus_high != 128'd0 || job_modulus < 128'd2 ? MODULUS
      : job_hold > MAX_HOLD ? HOLD : NONE;

  genvar e;
  generate
    for (e = 0; e < CHUNKS; e = e + 1) begin : lane
      assign lanes[e] = job_encryptions > e;
    end
  endgenerate
  assign open = running && !reset;

  integer u;
  reg [31:0] busy_units;
  always @* begin
    busy_units = 32'd0;
    for (u = 0; u < UNITS; u = u + 1) busy_units = busy_units + {31'd0, busy[u]};
  end

  always @(posedge clock)
    if (power_on) begin
      state        <= IDLE;
      error        <= NONE;
      reset        <= 1'b1;
      stream_reset <= 1'b1;
      drop         <= 1'b0;
      drop_all     <= 1'b0;
    end else begin
      reset        <= !running && !(settled && starts && start_error == NONE);
      stream_reset <= 1'b0;
      if (settled && starts) begin
        error <= start_error;
        state <= start_error == NONE ? RUNNING : FAILED;
        reset <= 1'b1;
        stream_reset <= 1'b1;
        drop_all <= 1'b0;
        modulus <= job_modulus[Q_BITS-1:0];
        hold <= job_hold[DEPTH_LOG:0];
      end else if (aborts) begin
        error    <= ABORTED;
        state    <= DRAINING;
        reset    <= 1'b1;
        drop     <= 1'b0;
        drop_all <= !last_seen;
      end else if (running && stream_error) begin
        error <= truncated ? TRUNCATED : too_long ? TOO_LONG : malformed ? MALFORMED : OVERFLOW;
        state <= DRAINING;
        reset <= 1'b1;
        drop  <= 1'b1;
      end else if (running && finished) begin
        state <= DONE;
      end else if (state == DRAINING && !tx_pending && (last_seen || drop_all || error == ABORTED))
      begin
        state <= FAILED;
        drop  <= 1'b0;
      end
    end

  always @(posedge clock)
    if (power_on) begin
      {job_subpolys, job_coeffs, job_encryptions, job_hold} <= 128'd0;
      job_modulus <= 128'd0;
      {rx_closed, tx_closed} <= 16'd0;
      refused <= 1'b0;
    end else if (write) begin
      if (settled) begin
        case (address)
          6'd10: job_subpolys        <= write_data;
          6'd11: job_coeffs          <= write_data;
          6'd12: job_encryptions     <= write_data;
          6'd13: job_hold            <= write_data;
          6'd14: rx_closed           <= write_data[7:0];
          6'd15: tx_closed           <= write_data[7:0];
          6'd16: job_modulus[31:0]   <= write_data;
          6'd17: job_modulus[63:32]  <= write_data;
          6'd18: job_modulus[95:64]  <= write_data;
          6'd19: job_modulus[127:96] <= write_data;
          default: ;
        endcase
        if (starts) refused <= 1'b0;
      end else if (!aborts) begin
        refused <= 1'b1;
      end
    end

  always @(posedge clock)
    if (power_on || (settled && starts)) begin
      {cycles, rx_bursts, tx_bursts, products, busy_cycles, rx_stalls, tx_stalls} <= 224'd0;
    end else if (running) begin
      cycles      <= cycles + 32'd1;
      rx_bursts   <= rx_bursts + {31'd0, accepted};
      tx_bursts   <= tx_bursts + {31'd0, sent};
      products    <= products + {31'd0, dispatch};
      busy_cycles <= busy_cycles + busy_units;
      rx_stalls   <= rx_stalls + {31'd0, rx_waits};
      tx_stalls   <= tx_stalls + {31'd0, tx_waits};
    end

  always @(posedge clock)
    case (address)
      6'd0:  read_data <= IDENTITY;
      6'd1:  read_data <= SHAPE0;
      6'd2:  read_data <= SHAPE1;
      6'd3:  read_data <= SUBPOLYS;
      6'd4:  read_data <= COEFFS;
      6'd5:  read_data <= OUT_POLYS;
      6'd6:  read_data <= OUT_COEFFS;
      6'd7:  read_data <= MAX_Q_BITS;
      6'd9:  read_data <= {15'd0, refused, 4'd0, error, 5'd0, state};
      6'd10: read_data <= job_subpolys;
      6'd11: read_data <= job_coeffs;
      6'd12: read_data <= job_encryptions;
      6'd13: read_data <= job_hold;
      6'd14: read_data <= {24'd0, rx_closed};
      6'd15: read_data <= {24'd0, tx_closed};
      6'd20: read_data <= DEPTH;
      6'd24: read_data <= cycles;
      6'd25: read_data <= rx_bursts;
      6'd26: read_data <= tx_bursts;
      6'd27: read_data <= products;
      6'd28: read_data <= busy_cycles;
      6'd29: read_data <= rx_stalls;
      6'd30: read_data <= tx_stalls;
      default: read_data <= 32'd0;
    endcase
endmodule
