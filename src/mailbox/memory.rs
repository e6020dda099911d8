//! The memory of SQLite, in blocks of a few sizes.
//!
//! Whoever opens a mailbox parses its whole schema, which takes thousands of small pieces of memory and gives most of
//! them back. The system's allocator took a quarter of all instructions of a short command. This one keeps a list of
//! free blocks for each size, so that a piece is taken and given back in a few instructions. What it has got from the
//! system it keeps; a process holds as much as its busiest moment took.

#![allow(unsafe_code)]

use std::alloc::{Layout, alloc, dealloc};
use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::ffi;

/// Block sizes are multiples of this, in bytes; SQLite demands that blocks begin at multiples of 8.
const STEP: usize = 16;

/// The largest block that is kept in a list, in bytes. Larger ones are few and come from the system.
const LARGEST: usize = 1024;

/// What is taken from the system at a time, in bytes.
const CHUNK: usize = 64 * 1024;

/// Before each piece stands the size of its block, itself included.
const HEADER: usize = size_of::<usize>();

/// Uses this allocator for SQLite from now on. Where SQLite is in use already, everything stays as it is.
pub fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let methods = ffi::sqlite3_mem_methods {
            xMalloc: Some(take),
            xFree: Some(give_back),
            xRealloc: Some(resize),
            xSize: Some(size),
            xRoundup: Some(round_up),
            xInit: Some(init),
            xShutdown: Some(shut_down),
            pAppData: null_mut(),
        };
        // SAFETY: SQLite copies the methods. It refuses them (the result) once it is in use, and checks that itself.
        let _ = unsafe { ffi::sqlite3_config(ffi::SQLITE_CONFIG_MALLOC, &raw const methods) };
    });
}

/// The free blocks by their sizes, and what is left of the last chunk.
struct Blocks {
    /// The piece of the first free block of each size; there stands the address of the next one.
    free: [*mut u8; LARGEST / STEP + 1],
    next: *mut u8,
    left: usize,
}

/// The blocks of this process under their lock. It is held for a few instructions only, so that whoever finds it taken
/// tries again; a lock of the standard library would take longer than the work behind it.
struct Shared {
    is_taken: AtomicBool,
    blocks: UnsafeCell<Blocks>,
}

// SAFETY: the blocks are used only by whoever has set `is_taken`, and belong to no thread.
unsafe impl Sync for Shared {}

static SHARED: Shared = Shared {
    is_taken: AtomicBool::new(false),
    blocks: UnsafeCell::new(Blocks { free: [null_mut(); LARGEST / STEP + 1], next: null_mut(), left: 0 }),
};

/// Does something with the blocks, alone. It can't panic: nothing in it indexes out of bounds or allocates in Rust.
fn with_blocks<T>(work: impl FnOnce(&mut Blocks) -> T) -> T {
    while SHARED.is_taken.swap(true, Ordering::Acquire) {
        std::thread::yield_now();
    }
    // SAFETY: nobody else has the lock.
    let done = work(unsafe { &mut *SHARED.blocks.get() });
    SHARED.is_taken.store(false, Ordering::Release);
    done
}

/// The size of the block for a piece of so many bytes.
fn block_for(length: usize) -> usize {
    // STEP is a power of two; next_multiple_of would take six instructions here in place of two.
    (length + HEADER + STEP - 1) & !(STEP - 1)
}

/// The layout of a block that comes from the system.
fn layout(block: usize) -> Option<Layout> {
    Layout::from_size_align(block, STEP).ok()
}

impl Blocks {
    /// A piece in a block of this size, a multiple of [`STEP`] up to [`LARGEST`]; null where the system has no memory.
    #[inline]
    fn take(&mut self, block: usize) -> *mut u8 {
        let first = self.free[block / STEP];
        if !first.is_null() {
            // SAFETY: in a free block the address of the next one stands in the place of the piece.
            self.free[block / STEP] = unsafe { first.cast::<*mut u8>().read() };
            return first;
        }
        if self.left < block && !self.refill() {
            return null_mut();
        }
        self.left -= block;
        // SAFETY: the chunk has this many bytes left, and a block begins with room for its size.
        unsafe {
            let start = self.next;
            self.next = start.add(block);
            start.cast::<usize>().write(block);
            start.add(HEADER)
        }
    }

    /// Begins a new chunk. What is left of the last one is less than a block of the wanted size, and is given up.
    #[cold]
    #[inline(never)]
    fn refill(&mut self) -> bool {
        let Some(chunk) = layout(CHUNK) else { return false };
        // SAFETY: the size is not 0.
        self.next = unsafe { alloc(chunk) };
        self.left = if self.next.is_null() { 0 } else { CHUNK };
        self.left > 0
    }
}

extern "C" fn take(length: c_int) -> *mut c_void {
    let Ok(length @ 1..) = usize::try_from(length) else { return null_mut() };
    let block = block_for(length);
    if block <= LARGEST { with_blocks(|blocks| blocks.take(block)).cast() } else { take_large(block) }
}

/// A piece in a block of its own, from the system.
#[cold]
#[inline(never)]
fn take_large(block: usize) -> *mut c_void {
    // SAFETY: the size is not 0, and a block begins with room for its size.
    unsafe {
        let start = layout(block).map_or(null_mut(), |layout| alloc(layout));
        if start.is_null() {
            return null_mut();
        }
        start.cast::<usize>().write(block);
        start.add(HEADER).cast()
    }
}

extern "C" fn give_back(piece: *mut c_void) {
    if piece.is_null() {
        return;
    }
    // SAFETY: SQLite gives back only what `take` or `resize` gave it, and once.
    unsafe {
        let start = piece.cast::<u8>().sub(HEADER);
        let block = start.cast::<usize>().read();
        if block <= LARGEST {
            with_blocks(|blocks| {
                piece.cast::<*mut u8>().write(blocks.free[block / STEP]);
                blocks.free[block / STEP] = piece.cast();
            });
        } else if let Some(layout) = layout(block) {
            dealloc(start, layout);
        }
    }
}

extern "C" fn resize(piece: *mut c_void, length: c_int) -> *mut c_void {
    let old = usize::try_from(size(piece)).unwrap_or_default();
    if usize::try_from(length).is_ok_and(|length| (1..=old).contains(&length)) {
        return piece;
    }
    let new = take(length);
    if !new.is_null() {
        // SAFETY: the new piece is larger than the old one, and they are apart.
        unsafe { new.cast::<u8>().copy_from_nonoverlapping(piece.cast(), old) };
        give_back(piece);
    }
    new
}

extern "C" fn size(piece: *mut c_void) -> c_int {
    if piece.is_null() {
        return 0;
    }
    // SAFETY: before each piece stands the size of its block.
    let block = unsafe { piece.cast::<u8>().sub(HEADER).cast::<usize>().read() };
    c_int::try_from(block - HEADER).unwrap_or(c_int::MAX)
}

extern "C" fn round_up(length: c_int) -> c_int {
    let rounded = usize::try_from(length).ok().map(|length| block_for(length) - HEADER);
    rounded.and_then(|rounded| c_int::try_from(rounded).ok()).unwrap_or(length)
}

extern "C" fn init(_: *mut c_void) -> c_int {
    ffi::SQLITE_OK
}

extern "C" fn shut_down(_: *mut c_void) {}

#[cfg(test)]
mod tests {
    use super::{LARGEST, give_back, resize, round_up, size, take};

    #[test]
    fn pieces_are_apart_and_keep_what_they_hold() {
        let mut pieces = Vec::new();
        for round in 0..4 {
            for length in [1, 8, 9, 24, 100, LARGEST - 8, LARGEST, 5000] {
                let piece = take(length as i32);
                assert!(size(piece) as usize >= length && (piece as usize).is_multiple_of(8));
                assert_eq!(size(piece), round_up(length as i32));
                // SAFETY: the piece has this many bytes.
                unsafe { piece.cast::<u8>().write_bytes(pieces.len() as u8, length) };
                pieces.push((piece, length));
            }
            for (at, (piece, length)) in pieces.iter_mut().enumerate() {
                // SAFETY: as above.
                let bytes = unsafe { std::slice::from_raw_parts(piece.cast::<u8>(), *length) };
                assert!(bytes.iter().all(|byte| *byte == at as u8), "piece {at} in round {round}");
                *piece = resize(*piece, (*length * 2) as i32);
            }
        }
        pieces.into_iter().for_each(|(piece, _)| give_back(piece));
        assert!(take(0).is_null() && take(-1).is_null());
        give_back(std::ptr::null_mut());
    }
}
