// SPDX-License-Identifier: Apache-2.0
// Unpacks frames from the host. The first burst of a frame: bits 7..0 its kind, bit 8 whether it
// ends its group, bits 63..32 the key's name, bits 95..64 a tag that returns with the result.
//   1, key: q, the value of a message bit, then DEGREE coefficients of P[1] and of P[2].
//   2, encryption: U, message: DEGREE bits each, bit i at bit i % 128 of burst i / 128; E[1] and
//      E[2]: DEGREE signed 16-bit numbers each, eight to a burst, each from a burst of its own.
// Frames of other kinds are counted and skipped. A group is complete with LANES encryptions, with
// one that ends it, or if a key follows; it waits in one of two places until its results have left.
// A key waits until all results have left. An encryption that names another key is marked.
module resident_loader #(
    parameter int WIDTH = 125,
    parameter int DEGREE = 2420,
    parameter int LANES = 4,
    localparam int KEY_PLACE_BITS = $clog2(2 * DEGREE),
    localparam int U_WORDS = (DEGREE + 127) / 128,
    localparam int U_PLACE_BITS = $clog2(2 * U_WORDS),
    localparam int E_WORDS = (DEGREE + 7) / 8,
    localparam int M_PLACE_BITS = $clog2(2 * LANES * U_WORDS),
    localparam int E_PLACE_BITS = $clog2(4 * LANES * E_WORDS),
    localparam int LANE_BITS = $clog2(LANES + 1)
) (
    input  logic                            clk,
    input  logic                            rst,
    input  logic                            in_valid,
    output logic                            in_ready,
    input  logic [               127:0]     in_data,
    // The key.
    output logic [         WIDTH-1:0]       q,
    output logic [         WIDTH-1:0]       delta,
    output logic                            key_write,
    output logic [KEY_PLACE_BITS-1:0]       key_place,
    // Operands of encryptions.
    output logic [         LANES-1:0]       u_write,
    output logic [  U_PLACE_BITS-1:0]       u_place,
    output logic                            m_write,
    output logic [  M_PLACE_BITS-1:0]       m_place,
    output logic                            e_write,
    output logic [  E_PLACE_BITS-1:0]       e_place,
    // Groups, by place.
    output logic [               1:0]       group_complete,  // Pulses.
    input  logic [               1:0]       group_left,      // Pulses: all results have left.
    output logic [   2*LANE_BITS-1:0]       group_size,
    output logic [    2*LANES*32-1:0]       tags,
    output logic [       2*LANES-1:0]       wrong_key,
    output logic [              31:0]       unknown_frames
);
  typedef enum logic [2:0] {
    HEADER,
    PAUSE,
    READ_Q,
    READ_DELTA,
    READ_KEY,
    READ_U,
    READ_MESSAGE,
    READ_NOISE
  } state_t;

  localparam int COUNT_BITS = KEY_PLACE_BITS + 1;
  localparam logic [COUNT_BITS-1:0] LAST_KEY = COUNT_BITS'(2 * DEGREE - 1);
  localparam logic [COUNT_BITS-1:0] LAST_U = COUNT_BITS'(U_WORDS - 1);
  localparam logic [COUNT_BITS-1:0] LAST_E = COUNT_BITS'(2 * E_WORDS - 1);
  localparam logic [LANE_BITS-1:0] LAST_LANE = LANE_BITS'(LANES - 1);

  state_t state;
  logic [COUNT_BITS-1:0] count;
  logic place;                    // Place of the group that is being loaded.
  logic [1:0] busy;               // Complete groups whose results have not all left.
  logic [LANE_BITS-1:0] lane;     // Lane of the next encryption.
  logic is_key, ends_group;
  logic have_key, wrong;
  logic [31:0] key_name, tag;
  // Operands lie one after the other in each of the two places.
  logic [M_PLACE_BITS-1:0] m_next;
  logic [E_PLACE_BITS-1:0] e_next;

  localparam int SLOT_BITS = $clog2(2 * LANES + 1);
  logic [SLOT_BITS-1:0] slot;
  assign slot = SLOT_BITS'(lane) + (place ? SLOT_BITS'(LANES) : '0);

  logic take;
  assign take = in_valid & in_ready;
  assign in_ready = state != PAUSE;

  // A key waits for an empty card, and makes an open group complete.
  logic closes_for_key, closes_full;
  assign closes_for_key = state == PAUSE && is_key && lane != '0;
  logic last_noise;
  assign last_noise = take && state == READ_NOISE && count == LAST_E;
  assign closes_full = last_noise && (ends_group || lane == LAST_LANE);
  assign group_complete = {2{closes_for_key | closes_full}} & {place, ~place};

  always_ff @(posedge clk) begin
    if (take) count <= count + 1'b1;
    busy <= (busy | group_complete) & ~group_left;
    case (state)
      HEADER:
      if (take) begin
        is_key <= in_data[7:0] == 8'd1;
        ends_group <= in_data[8];
        if (in_data[7:0] == 8'd1) begin
          state <= PAUSE;
          key_name <= in_data[63:32];
        end else if (in_data[7:0] == 8'd2) begin
          state <= PAUSE;
          tag <= in_data[95:64];
          wrong <= ~have_key | (in_data[63:32] != key_name);
        end else unknown_frames <= unknown_frames + 1'b1;
      end
      PAUSE: begin
        count <= '0;
        if (is_key) begin
          if (lane == '0 && busy == '0) state <= READ_Q;
        end else if (!busy[place]) begin
          state <= READ_U;
          for (int s = 0; s < 2 * LANES; s++)
            if (slot == SLOT_BITS'(s)) begin
              tags[32*s+:32] <= tag;
              wrong_key[s] <= wrong;
            end
        end
      end
      READ_Q:
      if (take) begin
        q <= in_data[WIDTH-1:0];
        state <= READ_DELTA;
      end
      READ_DELTA:
      if (take) begin
        delta <= in_data[WIDTH-1:0];
        count <= '0;
        state <= READ_KEY;
      end
      READ_KEY:
      if (take && count == LAST_KEY) begin
        have_key <= 1'b1;
        state <= HEADER;
      end
      READ_U:
      if (take && count == LAST_U) begin
        count <= '0;
        state <= READ_MESSAGE;
      end
      READ_MESSAGE:
      if (take && count == LAST_U) begin
        count <= '0;
        state <= READ_NOISE;
      end
      default: if (last_noise) state <= HEADER;
    endcase
    if (last_noise) begin
      lane <= lane + 1'b1;
      if (place) group_size[LANE_BITS+:LANE_BITS] <= lane + 1'b1;
      else group_size[LANE_BITS-1:0] <= lane + 1'b1;
    end
    if (closes_full || closes_for_key) begin
      lane  <= '0;
      place <= ~place;
    end
    if (m_write) m_next <= m_next + 1'b1;
    if (e_write) e_next <= e_next + 1'b1;
    if (closes_full || closes_for_key) begin
      m_next <= place ? '0 : M_PLACE_BITS'(LANES * U_WORDS);
      e_next <= place ? '0 : E_PLACE_BITS'(2 * LANES * E_WORDS);
    end
    if (rst) begin
      state <= HEADER;
      lane <= '0;
      place <= 1'b0;
      busy <= '0;
      have_key <= 1'b0;
      m_next <= '0;
      e_next <= '0;
      unknown_frames <= '0;
    end
  end

  assign key_write = take && state == READ_KEY;
  assign key_place = KEY_PLACE_BITS'(count);
  assign u_place = U_PLACE_BITS'(count) + (place ? U_PLACE_BITS'(U_WORDS) : '0);
  assign m_write = take && state == READ_MESSAGE;
  assign m_place = m_next;
  assign e_write = take && state == READ_NOISE;
  assign e_place = e_next;
  always_comb
    for (int l = 0; l < LANES; l++)
      u_write[l] = take && state == READ_U && lane == LANE_BITS'(l);
  logic unused;
  assign unused = &{1'b0, in_data[127:96], in_data[31:9]};
endmodule
