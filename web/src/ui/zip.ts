// Reads zip archives: names and contents, stored or deflated, with their checksums.

type Files = [string, Uint8Array][];

/** Largest content of an archive, in bytes: what unpacks to more was made to do harm. */
const LARGEST = 1 << 29;
const END = 0x06054b50;
const ENTRY = 0x02014b50;
/** Length of the end record, and of the comment that may follow it. */
const [END_LENGTH, COMMENT] = [22, 0xffff];

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

/** The checksum of zip archives (CRC-32, ISO 3309). */
function checksum(bytes: Uint8Array): number {
  let c = 0xffffffff;
  for (const byte of bytes) c = TABLE[(c ^ byte) & 0xff]! ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

/** Whether these bytes begin like an archive. */
export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5);
}

async function inflate(packed: Uint8Array, size: number, name: string): Promise<Uint8Array> {
  const stream = new Blob([packed as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new DecompressionStream('deflate-raw'));
  const out = new Uint8Array(size);
  let at = 0;
  const reader = stream.getReader();
  for (;;) {
    // what the browser says of damage names no file
    const { done, value } = await reader.read().catch((e: unknown) => {
      throw new Error(`${name} is damaged: ${e instanceof Error ? e.message : String(e)}`);
    });
    if (done) break;
    if (at + value.length > size) throw new Error(`${name} is longer than its archive says`);
    out.set(value, at);
    at += value.length;
  }
  if (at !== size) throw new Error(`${name} is shorter than its archive says`);
  return out;
}

/** The files of an archive. Folders that hold all of them stay in the names. */
export async function unzip(bytes: Uint8Array, most: number): Promise<Files> {
  const d = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const broken = new Error('this is no whole zip archive');

  // the list of contents stands at the end, before a comment
  let end = bytes.length - END_LENGTH;
  const first = Math.max(0, end - COMMENT);
  while (end >= first && d.getUint32(end, true) !== END) end--;
  if (end < first) throw broken;
  const count = d.getUint16(end + 10, true);
  let at = d.getUint32(end + 16, true);
  if (count === 0xffff || at === 0xffffffff) throw new Error('zip archives of 4 GB are not read');
  if (count > most) throw new Error(`more than ${most} files are in the archive`);

  const out: Files = [];
  let total = 0;
  for (let k = 0; k < count; k++) {
    if (at + 46 > bytes.length || d.getUint32(at, true) !== ENTRY) throw broken;
    const [flags, method] = [d.getUint16(at + 8, true), d.getUint16(at + 10, true)];
    const [crc, packed, size] = [16, 20, 24].map((o) => d.getUint32(at + o, true));
    const [named, extra, said] = [28, 30, 32].map((o) => d.getUint16(at + o, true));
    const place = d.getUint32(at + 42, true);
    const utf8 = (flags & 0x800) !== 0;
    const name = new TextDecoder(utf8 ? 'utf-8' : 'latin1')
      .decode(bytes.subarray(at + 46, at + 46 + named!))
      .replaceAll('\\', '/');
    at += 46 + named! + extra! + said!;
    if (name.endsWith('/')) continue;
    if (flags & 1) throw new Error(`${name} is encrypted`);
    total += size!;
    if (total > LARGEST) throw new Error(`the archive unpacks to more than ${LARGEST} bytes`);

    // the entry's own header has its own lengths of names
    if (place + 30 > bytes.length) throw broken;
    const from = place + 30 + d.getUint16(place + 26, true) + d.getUint16(place + 28, true);
    if (from + packed! > bytes.length) throw broken;
    const content = bytes.subarray(from, from + packed!);
    let file: Uint8Array;
    if (method === 0 && packed === size) file = content.slice();
    else if (method === 8) file = await inflate(content, size!, name);
    else throw new Error(`${name} is packed by method ${method}; store or deflate it`);
    if (checksum(file) !== crc) throw new Error(`${name} is damaged: its checksum differs`);
    out.push([name, file]);
  }
  return out;
}
