/* SHA-256 (FIPS 180-4), because pages that are opened from a disk do not get the browser's own everywhere. */

/** The first primes, whose roots the algorithm takes its constants from. */
function firstPrimes(n) {
  const primes = [];
  for (let candidate = 2; primes.length < n; candidate += 1) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  return primes;
}

/** Return the first 32 bits behind the point of a root; whole numbers keep all of them exact. */
function rootBits(prime, power) {
  // The largest whole r with r**power <= prime * 2**(32 * power), whose last 32 bits are those.
  const target = BigInt(prime) << BigInt(32 * power);
  let root = 0n;
  for (let bit = 1n << 40n; bit > 0n; bit >>= 1n) {
    if ((root | bit) ** BigInt(power) <= target) root |= bit;
  }
  return Number(root & 0xffffffffn);
}

const SHA_ROUNDS = Uint32Array.from(firstPrimes(64), (prime) => rootBits(prime, 3));
const SHA_START = Uint32Array.from(firstPrimes(8), (prime) => rootBits(prime, 2));

/** Return the SHA-256 of a text's UTF-8 bytes, as 64 hexadecimal digits. */
export function sha256(text) {
  const words = paddedWords(new TextEncoder().encode(text));
  const state = SHA_START.slice();
  for (let start = 0; start < words.length; start += 16) mixBlock(state, words.subarray(start, start + 16));
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}

/** Put a 1 bit and the length behind the bytes, and read them as words. */
function paddedWords(bytes) {
  const padded = new DataView(new ArrayBuffer(64 * Math.ceil((bytes.length + 9) / 64)));
  bytes.forEach((byte, i) => padded.setUint8(i, byte));
  padded.setUint8(bytes.length, 0x80);
  padded.setBigUint64(padded.byteLength - 8, 8n * BigInt(bytes.length));
  return Uint32Array.from({ length: padded.byteLength / 4 }, (_, i) => padded.getUint32(4 * i));
}

function turned(word, bits) {
  return (word >>> bits) | (word << (32 - bits));
}

/** Mix 16 words into the state. */
function mixBlock(state, block) {
  const words = scheduled(block);
  let [a, b, c, d, e, f, g, h] = state;
  for (let t = 0; t < 64; t += 1) {
    const high = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const first = (h + high + ((e & f) ^ (~e & g)) + SHA_ROUNDS[t] + words[t]) | 0;
    const low = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const second = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => {
    state[i] += word;
  });
}

/** Stretch 16 words to 64. */
function scheduled(block) {
  const words = new Uint32Array(64);
  words.set(block);
  for (let t = 16; t < 64; t += 1) {
    const [near, far] = [words[t - 2], words[t - 15]];
    const spread = turned(near, 17) ^ turned(near, 19) ^ (near >>> 10);
    words[t] = spread + words[t - 7] + (turned(far, 7) ^ turned(far, 18) ^ (far >>> 3)) + words[t - 16];
  }
  return words;
}
