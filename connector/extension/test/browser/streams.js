// Players that feed their element piece by piece, as streaming sites do: a
// silent film of any length, whose element tells what the page wants it to.

/** @param {number[] | string} id @param {(number | number[])[]} parts */
function element(id, ...parts) {
  const body = parts.flat();
  return [...id, 0x10 | (body.length >> 24), (body.length >> 16) & 0xff, (body.length >> 8) & 0xff, body.length & 0xff, ...body];
}

const ascii = (/** @type {string} */ text) => [...Buffer.from(text)];

/** The head of a WebM file with one track of Opus. */
const HEAD = [
  ...element([0x1a, 0x45, 0xdf, 0xa3], element([0x42, 0x82], ascii("webm")), element([0x42, 0x87], 4), element([0x42, 0x85], 2)),
  0x18, 0x53, 0x80, 0x67, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, // a segment of unknown size
  ...element([0x15, 0x49, 0xa9, 0x66], element([0x2a, 0xd7, 0xb1], [0x0f, 0x42, 0x40])), // milliseconds
  ...element([0x16, 0x54, 0xae, 0x6b], element([0xae],
    element([0xd7], 1), element([0x73, 0xc5], 1), element([0x83], 2), element([0x86], ascii("A_OPUS")),
    element([0x63, 0xa2], ascii("OpusHead"), [1, 1, 0, 0, 0x80, 0xbb, 0, 0, 0, 0, 0]),
    element([0xe1], element([0xb5], [0x40, 0xe7, 0x70, 0, 0, 0, 0, 0]), element([0x9f], 1)), // 48 kHz, one channel
  )),
];

/** Of one piece, in seconds. */
export const PIECE = 20;

/** Silence, in packets of 20 ms. */
const CLUSTER = element([0x1f, 0x43, 0xb6, 0x75], element([0xe7], 0), ...Array.from({ length: PIECE * 50 }, (_, packet) => {
  const at = packet * 20;
  return element([0xa3], 0x81, at >> 8, at & 0xff, 0x80, 0xf8, 0xff, 0xfe);
}));

/**
 * A page with such a player. The script may use fill(from, to), which puts so
 * many seconds of film there, instead(length,
 * position), which puts another medium there, jump(position) and reached(position).
 * @param {string} head what the page says of the film
 * @param {string} script
 */
export const streamed = (head, script) => `${head}<video id="clip"></video><div id="slider"></div>
<script type="module">
const clip = globalThis.clip = document.getElementById("clip");
const slider = document.getElementById("slider");
const bytes = (text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
const [first, piece] = [bytes("${Buffer.from(HEAD).toString("base64")}"), bytes("${Buffer.from(CLUSTER).toString("base64")}")];
const media = new MediaSource();
clip.src = URL.createObjectURL(media);
await new Promise((open) => media.addEventListener("sourceopen", open, { once: true }));
const buffer = media.addSourceBuffer('audio/webm; codecs="opus"');
const done = (act) => new Promise((ended) => {
  buffer.addEventListener("updateend", ended, { once: true });
  act();
});
await done(() => buffer.appendBuffer(first));
async function fill(from, to) {
  for (let at = from; at < to; at += ${PIECE}) {
    buffer.timestampOffset = at;
    await done(() => buffer.appendBuffer(piece));
  }
}
const jump = (to) => {
  clip.currentTime = to;
  return new Promise((there) => clip.addEventListener("seeked", there, { once: true }));
};
async function instead(length, position) {
  await done(() => buffer.remove(0, Infinity));
  media.duration = Math.max(length, media.duration);
  while (clip.duration < length) await new Promise(requestAnimationFrame);
  await fill(0, length);
  await jump(position);
  media.duration = length;
  await clip.play();
}
const reached = (position) => new Promise((there) => {
  const look = () => {
    if (clip.currentTime < position) return;
    clip.removeEventListener("timeupdate", look);
    there();
  };
  clip.addEventListener("timeupdate", look);
});
${script}
globalThis.ready = true;
</script>`;
