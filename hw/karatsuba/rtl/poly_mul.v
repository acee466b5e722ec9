// SPDX-License-Identifier: Apache-2.0
// Product of two polynomials of LEAF coefficients, for LANES small polynomials at once: LEAF
// integer multipliers, one per coefficient of the small polynomials, all fed with the same chunk of
// the key. A pair comes in LEAF * CHUNKS cycles without a gap: word (c, k) has chunk k of the key's
// coefficient c and coefficient c of small polynomial k. It is multiplied in the LEAF * CHUNKS
// cycles that follow, while the next pair comes. The 2 * LEAF - 1 coefficients leave whole, at most
// one per cycle, with their place: index, and slot, which counts pairs modulo SLOTS.
module poly_mul #(
    parameter CHUNK_BITS = 27,
    parameter CHUNKS     = 5,
    parameter SMALL_BITS = 10,
    parameter LEAF       = 5,
    parameter LANES      = 4,      // below CHUNKS
    parameter SLOTS      = 8,      // a power of two
    parameter SLOT       = 3,
    parameter INDEX      = 4,      // bits of a coefficient's index
    parameter WIDTH      = 148     // CHUNKS * CHUNK_BITS + SMALL_BITS + clog2(LEAF)
) (
    input  wire                   clock,
    input  wire                   reset,
    input  wire                   load,
    input  wire [CHUNK_BITS-1:0]  load_chunk,
    input  wire [SMALL_BITS-1:0]  load_small,
    output wire                   busy,         // the multipliers work in this cycle
    output reg                    write,
    output reg  [SLOT-1:0]        write_slot,
    output reg  [INDEX-1:0]       write_index,
    output wire [LANES*WIDTH-1:0] write_data,
    output reg                    done          // with the last coefficient of a product
);
  localparam WORDS = LEAF * CHUNKS;
  localparam K = $clog2(CHUNKS);
  localparam C = $clog2(LEAF);
  localparam PAGE = $clog2(2 * WORDS);
  localparam WIDE = SMALL_BITS + CHUNK_BITS;
  localparam TOP_BITS = WIDTH - (CHUNKS - 1) * CHUNK_BITS;
  localparam [K-1:0] LAST_CHUNK = CHUNKS[K-1:0] - 1'b1;
  localparam [C-1:0] LAST_COEFF = LEAF[C-1:0] - 1'b1;
  localparam [PAGE-1:0] LAST_ADDRESS = {WORDS[PAGE-2:0], 1'b0} - 1'b1;
  localparam SMALLS = LANES * SMALL_BITS;

  // Filling: the key's chunks into one half of a memory, the small coefficients into registers.
  reg  [K-1:0]           load_k;
  reg  [C-1:0]           load_c;
  reg  [PAGE-1:0]        load_address;
  reg  [LEAF*SMALLS-1:0] next_smalls, smalls;
  wire load_ends = load && load_k == LAST_CHUNK && load_c == LAST_COEFF;

  // Stages: 0 reads the chunk, 1 multiplies, 2 reconstructs, 3 accumulates.
  reg              run0, run1, run2, run3;
  reg  [K-1:0]     k0, k1, k2, k3;
  reg  [C-1:0]     c0, c1, c2, c3;
  reg  [PAGE-1:0]  address0;
  wire [CHUNK_BITS-1:0] chunk1;
  wire ends0 = k0 == LAST_CHUNK && c0 == LAST_COEFF;
  wire ends3 = run3 && k3 == LAST_CHUNK && c3 == LAST_COEFF;

  // The upper LEAF - 1 coefficients stay in the accumulators when the last chunk has been added.
  // They leave in the next CHUNKS cycles, in which the next product does not read them.
  reg          flushing;
  reg  [K-1:0] flush_k;
  reg          low_ready;
  reg  [C-1:0] low_c;
  reg          high_ready;
  reg  [C-1:0] high_c;
  reg  [SLOT-1:0] slot, high_slot;
  wire         flush_ends = flushing && flush_k == LAST_CHUNK;
  wire [K-1:0] read_k = flushing ? flush_k : k3;

  assign busy = run1;

  ram_1w1r #(.WIDTH(CHUNK_BITS), .DEPTH(2 * WORDS), .ADDRESS(PAGE)) chunks (
      .clock(clock), .write(load), .write_address(load_address), .write_data(load_chunk),
      .read(run0), .read_address(address0), .read_data(chunk1));

  always @(posedge clock) begin
    if (reset) begin
      load_k       <= {K{1'b0}};
      load_c       <= {C{1'b0}};
      load_address <= {PAGE{1'b0}};
      address0     <= {PAGE{1'b0}};
      {run0, run1, run2, run3} <= 4'd0;
      k0           <= {K{1'b0}};
      c0           <= {C{1'b0}};
    end else begin
      if (load) begin
        load_k       <= load_k == LAST_CHUNK ? {K{1'b0}} : load_k + 1'b1;
        if (load_k == LAST_CHUNK) load_c <= load_c == LAST_COEFF ? {C{1'b0}} : load_c + 1'b1;
        load_address <= load_address == LAST_ADDRESS ? {PAGE{1'b0}} : load_address + 1'b1;
      end
      if (load_ends) run0 <= 1'b1;
      else if (ends0) run0 <= 1'b0;
      if (run0) begin
        k0       <= k0 == LAST_CHUNK ? {K{1'b0}} : k0 + 1'b1;
        if (k0 == LAST_CHUNK) c0 <= c0 == LAST_COEFF ? {C{1'b0}} : c0 + 1'b1;
        address0 <= address0 == LAST_ADDRESS ? {PAGE{1'b0}} : address0 + 1'b1;
      end
      {run1, run2, run3} <= {run0, run1, run2};
    end
    if (run0) {k1, c1} <= {k0, c0};
    if (run1) {k2, c2} <= {k1, c1};
    if (run2) {k3, c3} <= {k2, c2};
    if (run0 && k0 == {K{1'b0}} && c0 == {C{1'b0}}) smalls <= next_smalls;
  end

  integer coefficient, polynomial;
  always @(posedge clock)
    if (load)
      for (coefficient = 0; coefficient < LEAF; coefficient = coefficient + 1)
        for (polynomial = 0; polynomial < LANES; polynomial = polynomial + 1)
          if (load_c == coefficient[C-1:0] && load_k == polynomial[K-1:0])
            next_smalls[coefficient*SMALLS + polynomial*SMALL_BITS +: SMALL_BITS] <= load_small;

  // The write of the next cycle, and its place.
  wire write_low = low_ready;
  wire write_high = !low_ready && high_ready;
  wire high_ends = write_high && high_c == LAST_COEFF;
  always @(posedge clock) begin
    if (reset) begin
      flushing   <= 1'b0;
      flush_k    <= {K{1'b0}};
      low_ready  <= 1'b0;
      high_ready <= 1'b0;
      slot       <= {SLOT{1'b0}};
      write      <= 1'b0;
      done       <= 1'b0;
    end else begin
      if (ends3) flushing <= 1'b1;
      else if (flush_ends) flushing <= 1'b0;
      if (flushing) flush_k <= flush_ends ? {K{1'b0}} : flush_k + 1'b1;
      low_ready <= run3 && k3 == LAST_CHUNK;
      if (flush_ends) high_ready <= 1'b1;
      else if (high_ends) high_ready <= 1'b0;
      if (low_ready && low_c == LAST_COEFF)
        slot <= slot == SLOTS[SLOT-1:0] - 1'b1 ? {SLOT{1'b0}} : slot + 1'b1;
      write <= write_low || write_high;
      done  <= high_ends;
    end
    low_c <= c3;
    if (flush_ends) high_c <= {{(C - 1){1'b0}}, 1'b1};
    else if (write_high) high_c <= high_c + 1'b1;
    if (low_ready && low_c == LAST_COEFF) high_slot <= slot;
    write_slot  <= write_low ? slot : high_slot;
    write_index <= write_low ? {{(INDEX - C){1'b0}}, low_c}
                             : {{(INDEX - C){1'b0}}, high_c} + {{(INDEX - C){1'b0}}, LAST_COEFF};
  end

  genvar i, lane;
  generate
    for (i = 0; i < LEAF; i = i + 1) begin : multipliers
      wire [LANES*WIDE-1:0] product;
      int_mul #(.CHUNK_BITS(CHUNK_BITS), .SMALL_BITS(SMALL_BITS), .LANES(LANES)) multiplier (
          .clock(clock), .enable({run2, run1}), .first(k2 == {K{1'b0}}), .last(k2 == LAST_CHUNK),
          .factors(smalls[i*SMALLS +: SMALLS]), .chunk(chunk1), .product(product));
    end
    for (lane = 0; lane < LANES; lane = lane + 1) begin : lanes
      for (i = 0; i < LEAF; i = i + 1) begin : sums
        wire [TOP_BITS-1:0] held, previous;
        wire [WIDTH-1:0]    captured, chosen;
        if (i == LEAF - 1) begin : highest
          assign previous = {TOP_BITS{1'b0}};
        end else begin : others
          assign previous = lanes[lane].sums[i+1].held;
        end
        if (i == 0) begin : lowest
          assign chosen = captured;
          wire unused = &{1'b0, held};
        end else begin : upper
          assign chosen = write_high && high_c == i ? captured : lanes[lane].sums[i-1].chosen;
        end
        chunk_accumulator #(
            .CHUNK_BITS(CHUNK_BITS), .CHUNKS(CHUNKS), .TOP_BITS(TOP_BITS), .INDEX(K),
            .LOWEST(i == 0 ? 1 : 0), .ADDEND(WIDE)) accumulator (
            .clock(clock), .enable(run3), .index(k3), .read_index(read_k),
            .fresh(c3 == {C{1'b0}}), .addend(multipliers[i].product[lane*WIDE +: WIDE]),
            .previous(previous), .capture(i == 0 ? run3 : flushing),
            .capture_index(i == 0 ? k3 : flush_k), .held(held), .captured(captured));
      end
      reg [WIDTH-1:0] chosen_word;
      always @(posedge clock) if (write_low || write_high)
        chosen_word <= lanes[lane].sums[LEAF-1].chosen;
      assign write_data[lane*WIDTH +: WIDTH] = chosen_word;
    end
  endgenerate
endmodule
