// SPDX-License-Identifier: Apache-2.0
// Accelerator of products of one polynomial with wide coefficients (a public key) by up to four
// with small ones, after Migliore et al. (2017), section 3.3. It has PRE Karatsuba pre-recursions,
// products of LEAF coefficients, POST post-recursions and the reduction modulo q, between an input
// stream and an output stream. The host does SOFTWARE pre-recursions and the remaining
// post-recursions. See README.md.
module karatsuba_top #(
    parameter CHUNK_BITS   = 27,
    parameter CHUNKS       = 5,
    parameter LANES        = 4,     // encryptions at once: 1 to 4, below CHUNKS
    parameter LEAF         = 5,     // coefficients of the smallest products; multipliers per unit
    parameter SOFTWARE     = 6,
    parameter PRE          = 3,
    parameter POST         = 5,     // REDUCE_LEVEL to SOFTWARE + PRE
    parameter REDUCE_LEVEL = 3,
    parameter UNITS        = 4,     // polynomial multipliers: at least 3
    parameter Q_BITS       = 128,
    parameter PACKAGER_LOG = 9,     // 2^PACKAGER_LOG bursts: at least two sub-polynomials
    parameter BUFFER_LOG   = 16     // 2^BUFFER_LOG bursts: at least two results
) (
    input  wire         clock,
    input  wire         power_on,         // synchronous reset
    input  wire         host_write,
    input  wire [5:0]   host_address,
    input  wire [31:0]  host_write_data,
    output wire [31:0]  host_read_data,
    input  wire         in_valid,
    output wire         in_ready,
    input  wire [127:0] in_data,
    input  wire         in_last,
    output wire         out_valid,
    input  wire         out_ready,
    output wire [127:0] out_data,
    output wire         out_last
);
  localparam RECURSIONS = SOFTWARE + PRE;
  localparam SMALL_BITS = RECURSIONS + 1;
  localparam IN_BITS = SOFTWARE + 1;
  localparam WORD = SMALL_BITS + CHUNK_BITS;
  localparam COEFFS = LEAF << PRE;
  localparam SUBPOLYS = 3 ** SOFTWARE;
  localparam OUT_POLYS = 3 ** (RECURSIONS - POST);
  localparam OUT_COEFFS = (LEAF << (POST + 1)) - 1;
  localparam OUT_BURSTS = OUT_POLYS * OUT_COEFFS * CHUNKS;
  localparam GROWTH = $clog2(LEAF);
  localparam WIDTH = CHUNKS * CHUNK_BITS + SMALL_BITS + GROWTH;
  localparam STEPS = GROWTH + REDUCE_LEVEL + 2 * (RECURSIONS - REDUCE_LEVEL);
  localparam KEY_BITS = CHUNKS * CHUNK_BITS - RECURSIONS;
  localparam MAX_Q_BITS = KEY_BITS < Q_BITS ? KEY_BITS : Q_BITS;
  localparam SLOTS = 8;
  localparam SLOT = 3;
  localparam N = 2 * LEAF - 1;
  localparam INDEX = $clog2(N);

  wire              reset, stream_reset, open, drop, drop_all, accepted, last_seen;
  wire [Q_BITS-1:0] modulus;
  wire [CHUNKS-1:0] lanes;
  wire [BUFFER_LOG:0] hold, level;
  wire [7:0]        rx_closed, tx_closed;
  wire              truncated, too_long, malformed, overflow, sent, finished, dispatch;
  wire [UNITS-1:0]  busy;

  control #(
      .SHAPE0({POST[7:0], PRE[7:0], SOFTWARE[7:0], LEAF[7:0]}),
      .SHAPE1({LANES[7:0], UNITS[7:0], CHUNKS[7:0], CHUNK_BITS[7:0]}), .SUBPOLYS(SUBPOLYS),
      .COEFFS(COEFFS), .OUT_POLYS(OUT_POLYS), .OUT_COEFFS(OUT_COEFFS), .LANES(LANES),
      .CHUNKS(CHUNKS), .Q_BITS(Q_BITS), .MAX_Q_BITS(MAX_Q_BITS), .DEPTH_LOG(BUFFER_LOG),
      .UNITS(UNITS)) controller (
      .clock(clock), .power_on(power_on), .write(host_write), .address(host_address),
      .write_data(host_write_data), .read_data(host_read_data), .reset(reset), .modulus(modulus),
      .lanes(lanes), .hold(hold), .rx_closed(rx_closed), .tx_closed(tx_closed),
      .stream_reset(stream_reset), .open(open), .drop(drop), .drop_all(drop_all),
      .truncated(truncated), .too_long(too_long), .malformed(malformed), .overflow(overflow),
      .last_seen(last_seen), .tx_pending(out_valid), .finished(finished), .accepted(accepted),
      .sent(sent), .rx_waits(in_valid && !in_ready), .tx_waits(out_valid && !out_ready),
      .dispatch(dispatch), .busy(busy));

  wire         rx_valid, rx_ready, rx_last;
  wire [127:0] rx_data;
  stream_rx receiver (
      .clock(clock), .reset(stream_reset), .open(open), .drop(drop), .drop_all(drop_all),
      .closed(rx_closed), .in_valid(in_valid), .in_ready(in_ready), .in_data(in_data),
      .in_last(in_last), .out_valid(rx_valid), .out_ready(rx_ready), .out_data(rx_data),
      .out_last(rx_last), .accepted(accepted), .last_seen(last_seen));

  wire                  cross_room, poly_start, word_valid;
  wire [CHUNK_BITS-1:0] word_chunk;
  wire [IN_BITS-1:0]    word_small;
  packager #(
      .CHUNK_BITS(CHUNK_BITS), .CHUNKS(CHUNKS), .IN_BITS(IN_BITS), .COEFFS(COEFFS),
      .SUBPOLYS(SUBPOLYS), .DEPTH_LOG(PACKAGER_LOG)) package_in (
      .clock(clock), .reset(reset), .lanes(lanes), .in_valid(rx_valid), .in_ready(rx_ready),
      .in_data(rx_data), .in_last(rx_last), .room(cross_room), .start(poly_start),
      .out_valid(word_valid), .out_chunk(word_chunk), .out_small(word_small),
      .truncated(truncated), .too_long(too_long), .malformed(malformed));

  wire [(1<<PRE)-1:0]      lane_valid;
  wire [(1<<PRE)*WORD-1:0] lane_word;
  pre_path #(
      .LEVELS(PRE), .CHUNK_BITS(CHUNK_BITS), .CHUNKS(CHUNKS), .SMALL_BITS(SMALL_BITS),
      .COEFFS(COEFFS)) pre (
      .clock(clock), .reset(reset), .in_valid(word_valid),
      .in_word({{PRE{1'b0}}, word_small, word_chunk}), .out_valid(lane_valid),
      .out_word(lane_word), .overflow(overflow));

  wire                  triple_finished;
  wire [UNITS-1:0]      load;
  wire [UNITS*WORD-1:0] load_word;
  pre_crossbar #(
      .LEVELS(PRE), .UNITS(UNITS), .LEAF_WORDS(LEAF * CHUNKS), .WORD(WORD),
      .TRIPLES(UNITS * SLOTS / 3)) cross_in (
      .clock(clock), .reset(reset), .in_valid(lane_valid), .in_word(lane_word),
      .start(poly_start), .room(cross_room), .triple_finished(triple_finished), .load(load),
      .load_word(load_word), .dispatch(dispatch));

  wire [UNITS-1:0]             product_write, product_done;
  wire [UNITS*SLOT-1:0]        product_slot;
  wire [UNITS*INDEX-1:0]       product_index;
  wire [UNITS*LANES*WIDTH-1:0] product_data;
  genvar u;
  generate
    for (u = 0; u < UNITS; u = u + 1) begin : units
      poly_mul #(
          .CHUNK_BITS(CHUNK_BITS), .CHUNKS(CHUNKS), .SMALL_BITS(SMALL_BITS), .LEAF(LEAF),
          .LANES(LANES), .SLOTS(SLOTS), .SLOT(SLOT), .INDEX(INDEX), .WIDTH(WIDTH)) multiplier (
          .clock(clock), .reset(reset), .load(load[u]),
          .load_chunk(load_word[u*WORD +: CHUNK_BITS]),
          .load_small(load_word[u*WORD+CHUNK_BITS +: SMALL_BITS]), .busy(busy[u]),
          .write(product_write[u]), .write_slot(product_slot[u*SLOT +: SLOT]),
          .write_index(product_index[u*INDEX +: INDEX]),
          .write_data(product_data[u*LANES*WIDTH +: LANES*WIDTH]), .done(product_done[u]));
    end
  endgenerate

  wire                   first_room, first_start, first_valid;
  wire [LANES*WIDTH-1:0] first_data;
  post_crossbar #(
      .UNITS(UNITS), .SLOTS(SLOTS), .SLOT(SLOT), .LANES(LANES), .WIDTH(WIDTH), .N(N),
      .INDEX(INDEX), .STRIDE(POST == 1 ? CHUNKS : 1)) cross_out (
      .clock(clock), .reset(reset), .write(product_write), .write_slot(product_slot),
      .write_index(product_index), .write_data(product_data), .done(product_done),
      .triple_finished(triple_finished), .next_room(first_room), .next_start(first_start),
      .out_valid(first_valid), .out_data(first_data));

  wire                    space, result_start, result_valid;
  wire [LANES*Q_BITS-1:0] result_data;
  post_path #(
      .LANES(LANES), .LEVELS(POST), .REDUCE_LEVEL(REDUCE_LEVEL), .LEAF(LEAF), .WIDTH(WIDTH),
      .Q_BITS(Q_BITS), .STEPS(STEPS), .STRIDE(CHUNKS)) post (
      .clock(clock), .reset(reset), .modulus(modulus), .room(first_room), .reserve(first_start),
      .in_valid(first_valid), .in_data(first_data), .next_room(space),
      .next_start(result_start), .out_valid(result_valid), .out_data(result_data));

  wire         burst_write, stored_valid, stored_ready;
  wire [127:0] burst_data, stored_data;
  burst_writer #(
      .CHUNK_BITS(CHUNK_BITS), .CHUNKS(CHUNKS), .LANES(LANES), .Q_BITS(Q_BITS)) writer (
      .clock(clock), .reset(reset), .in_valid(result_valid), .in_data(result_data),
      .write(burst_write), .data(burst_data));
  buffer #(.DEPTH_LOG(BUFFER_LOG), .RESERVE(OUT_COEFFS * CHUNKS)) results (
      .clock(clock), .reset(reset), .space(space), .reserve(result_start), .write(burst_write),
      .write_data(burst_data), .out_valid(stored_valid), .out_ready(stored_ready),
      .out_data(stored_data), .level(level));
  stream_tx #(
      .TOTAL(OUT_BURSTS), .COUNT($clog2(OUT_BURSTS + 1)), .LEVEL(BUFFER_LOG + 1)) sender (
      .clock(clock), .power_on(power_on), .reset(reset), .hold(hold), .closed(tx_closed),
      .produced(burst_write), .level(level), .in_valid(stored_valid), .in_ready(stored_ready),
      .in_data(stored_data), .out_valid(out_valid), .out_ready(out_ready), .out_data(out_data),
      .out_last(out_last), .sent(sent), .finished(finished));
endmodule
