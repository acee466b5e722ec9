// SPDX-License-Identifier: Apache-2.0
#include "peers.h"

#include "job.hpp"
#include "wide_job.hpp"

namespace {

using ringlet::peers::Peer;
using ringlet::peers::WidePeer;

const std::vector<Peer>& all_peers() {
  static const std::vector<Peer> peers = [] {
    std::vector<Peer> list;
#ifdef RINGLET_PEERS_NTL
    for (Peer& peer : ringlet::peers::ntl_peers()) list.push_back(peer);
#endif
#ifdef RINGLET_PEERS_FLINT
    for (Peer& peer : ringlet::peers::flint_peers()) list.push_back(peer);
#endif
    return list;
  }();
  return peers;
}

const std::vector<WidePeer>& all_wide_peers() {
  static const std::vector<WidePeer> peers = [] {
    std::vector<WidePeer> list;
#ifdef RINGLET_PEERS_GMP
    for (WidePeer& peer : ringlet::peers::gmp_wide_peers()) list.push_back(peer);
#endif
#ifdef RINGLET_PEERS_FLINT
    for (WidePeer& peer : ringlet::peers::flint_wide_peers()) list.push_back(peer);
#endif
    return list;
  }();
  return peers;
}

}  // namespace

size_t ringlet_peer_count(void) { return all_peers().size(); }

const char* ringlet_peer_name(size_t index) { return all_peers().at(index).name; }

const char* ringlet_peer_description(size_t index) {
  return all_peers().at(index).description.c_str();
}

ringlet_peer_job* ringlet_peer_create(size_t index, uint64_t n, uint64_t q) {
  if (index >= all_peers().size() || n < 2 || (n & (n - 1)) != 0 || q < 3) return nullptr;
  return all_peers()[index].create(n, q).release();
}

size_t ringlet_wide_peer_count(void) { return all_wide_peers().size(); }

const char* ringlet_wide_peer_name(size_t index) { return all_wide_peers().at(index).name; }

const char* ringlet_wide_peer_description(size_t index) {
  return all_wide_peers().at(index).description.c_str();
}

ringlet_peer_job* ringlet_wide_peer_create(size_t index, uint64_t n,
                                           const ringlet_wide_modulus* modulus) {
  if (index >= all_wide_peers().size() || n < 1 || (modulus->q[0] | modulus->q[1]) == 0) {
    return nullptr;
  }
  return all_wide_peers()[index].create(n, *modulus).release();
}

void ringlet_peer_destroy(ringlet_peer_job* job) { delete job; }

void ringlet_peer_load(ringlet_peer_job* job, const uint64_t* a, const uint64_t* b) {
  job->load(a, b);
}

void ringlet_peer_run(ringlet_peer_job* job, uint64_t repetitions) {
  for (uint64_t round = 0; round < repetitions; ++round) job->run();
}

void ringlet_peer_result(const ringlet_peer_job* job, uint64_t* result) { job->result(result); }
