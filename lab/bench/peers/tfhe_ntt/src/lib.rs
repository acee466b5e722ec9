// SPDX-License-Identifier: Apache-2.0
//! The transforms of tfhe-ntt as operations of `peers.h`, and a product by them, which shows that
//! they are transforms. Vectors are words of 64 bits; the operations ending in 32 copy them to
//! words of 32 bits when a job is loaded.

use std::ffi::{c_char, CStr};
use tfhe_ntt::{prime32, prime64};

const OPERATIONS: [(&CStr, &CStr); 5] = [
    (c"tfhe-ntt/ntt_forward", c"tfhe-ntt 0.7.1, prime64::Plan::fwd"),
    (c"tfhe-ntt/ntt_inverse", c"tfhe-ntt 0.7.1, prime64::Plan::inv, without the division by N"),
    (c"tfhe-ntt/product", c"tfhe-ntt 0.7.1, two fwd, mul_assign_normalize and inv"),
    (c"tfhe-ntt/ntt_forward32", c"tfhe-ntt 0.7.1, prime32::Plan::fwd"),
    (c"tfhe-ntt/ntt_inverse32", c"tfhe-ntt 0.7.1, prime32::Plan::inv, without the division by N"),
];

enum Work {
    Forward64(prime64::Plan),
    Inverse64(prime64::Plan),
    Product(prime64::Plan),
    Forward32(prime32::Plan),
    Inverse32(prime32::Plan),
}

pub struct Job {
    work: Work,
    a: Vec<u64>,
    b: Vec<u64>,
    values: Vec<u64>,
    factors: Vec<u64>,
    halves: Vec<u32>,
}

impl Job {
    fn run(&mut self) {
        match &self.work {
            Work::Forward64(plan) => plan.fwd(&mut self.values),
            Work::Inverse64(plan) => plan.inv(&mut self.values),
            Work::Forward32(plan) => plan.fwd(&mut self.halves),
            Work::Inverse32(plan) => plan.inv(&mut self.halves),
            Work::Product(plan) => {
                self.values.copy_from_slice(&self.a);
                self.factors.copy_from_slice(&self.b);
                plan.fwd(&mut self.values);
                plan.fwd(&mut self.factors);
                plan.mul_assign_normalize(&mut self.values, &self.factors);
                plan.inv(&mut self.values);
            }
        }
    }
}

#[no_mangle]
pub extern "C" fn ringlet_peer_count() -> usize {
    OPERATIONS.len()
}

#[no_mangle]
pub extern "C" fn ringlet_peer_name(index: usize) -> *const c_char {
    OPERATIONS[index].0.as_ptr()
}

#[no_mangle]
pub extern "C" fn ringlet_peer_description(index: usize) -> *const c_char {
    OPERATIONS[index].1.as_ptr()
}

#[no_mangle]
pub extern "C" fn ringlet_peer_create(index: usize, n: u64, q: u64) -> *mut Job {
    let size = n as usize;
    let words = || prime64::Plan::try_new(size, q);
    let halves = || u32::try_from(q).ok().and_then(|q| prime32::Plan::try_new(size, q));
    let work = match index {
        0 => words().map(Work::Forward64),
        1 => words().map(Work::Inverse64),
        2 => words().map(Work::Product),
        3 => halves().map(Work::Forward32),
        4 => halves().map(Work::Inverse32),
        _ => None,
    };
    let Some(work) = work else { return std::ptr::null_mut() };
    let zeros = || vec![0; size];
    let halves = vec![0; size];
    let job = Job { work, a: zeros(), b: zeros(), values: zeros(), factors: zeros(), halves };
    Box::into_raw(Box::new(job))
}

/// # Safety
/// `job` comes from `ringlet_peer_create` and is not used afterwards.
#[no_mangle]
pub unsafe extern "C" fn ringlet_peer_destroy(job: *mut Job) {
    if !job.is_null() {
        drop(Box::from_raw(job));
    }
}

/// # Safety
/// `a` and `b` point to the N words of the job.
#[no_mangle]
pub unsafe extern "C" fn ringlet_peer_load(job: *mut Job, a: *const u64, b: *const u64) {
    let job = &mut *job;
    let size = job.a.len();
    job.a.copy_from_slice(std::slice::from_raw_parts(a, size));
    job.b.copy_from_slice(std::slice::from_raw_parts(b, size));
    job.values.copy_from_slice(&job.a);
    for (half, word) in job.halves.iter_mut().zip(&job.a) {
        *half = *word as u32;
    }
}

/// # Safety
/// `job` comes from `ringlet_peer_create`.
#[no_mangle]
pub unsafe extern "C" fn ringlet_peer_run(job: *mut Job, repetitions: u64) {
    for _ in 0..repetitions {
        (*job).run();
    }
}

/// # Safety
/// `result` has room for the N words of the job.
#[no_mangle]
pub unsafe extern "C" fn ringlet_peer_result(job: *const Job, result: *mut u64) {
    let job = &*job;
    let result = std::slice::from_raw_parts_mut(result, job.values.len());
    match job.work {
        Work::Forward32(_) | Work::Inverse32(_) => {
            for (word, half) in result.iter_mut().zip(&job.halves) {
                *word = u64::from(*half);
            }
        }
        _ => result.copy_from_slice(&job.values),
    }
}
