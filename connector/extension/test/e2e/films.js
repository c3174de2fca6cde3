// Pages that play a film: a generated clip, and what the page says about it.

/** Makes a tone of five minutes in the page, which needs no codec and no server. */
const CLIP = `
const rate = 8000, length = 300 * rate, bytes = new DataView(new ArrayBuffer(44 + length));
[..."RIFF\\0\\0\\0\\0WAVEfmt "].forEach((one, i) => bytes.setUint8(i, one.charCodeAt(0)));
[..."data"].forEach((one, i) => bytes.setUint8(36 + i, one.charCodeAt(0)));
for (const [at, value] of [[4, 36 + length], [16, 16], [24, rate], [28, rate], [40, length]]) bytes.setUint32(at, value, true);
for (const [at, value] of [[20, 1], [22, 1], [32, 1], [34, 8]]) bytes.setUint16(at, value, true);
for (let i = 0; i < length; i++) bytes.setUint8(44 + i, 128 + 20 * Math.sin((i * 2 * Math.PI * 220) / rate));
const clipURL = URL.createObjectURL(new Blob([bytes], { type: "audio/wav" }));`;

let number = 9000;

/** A film that no other test has. @param {string} title */
export const film = (title) => ({ title, year: 1990, tmdb: ++number });

/** @typedef {ReturnType<typeof film>} Film */

/** What a page says of a film. @param {Film} film */
const head = ({ title, year, tmdb }) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title} (${year})</title>
<script type="application/ld+json">${JSON.stringify({ "@context": "https://schema.org", "@type": "Movie", name: title, datePublished: String(year), sameAs: `https://www.themoviedb.org/movie/${tmdb}` })}</script>`;

/** A player in the page itself. @param {Film} film @param {string} [attributes] of the player */
export const plain = (film, attributes = "") => `${head(film)}<video width="640" height="300" ${attributes}></video>
<script>${CLIP} globalThis.clip = document.querySelector("video"); clip.src = clipURL;</script>`;

/** In a frame. @param {Film} film @param {string} player its address */
export const framed = (film, player) => `${head(film)}<iframe src="${player}" allow="autoplay" width="660" height="320"></iframe>`;

/** Gives its clip to the player of a page that is not ours, maybe in a shadow root. @param {string} html */
export const withClip = (html) => `${html}<script>${CLIP}
const find = (root) => root.querySelector("video") ?? [...root.querySelectorAll("*")].map((one) => one.shadowRoot && find(one.shadowRoot)).find(Boolean);
globalThis.clip = find(document); clip.src = clipURL; clip.width = 640; clip.height = 300;</script>`;

/** Functions that run in the page. */
export const play = {
  begin: () => {
    const { clip } = globalThis;
    clip.mozCaptureStream?.(); // Firefox plays into a stream even where there is no sound card
    return clip.play();
  },

  /** The next item in the same player, under its own address. @param {string} address */
  next: (address) => {
    const { clip } = globalThis;
    history.pushState({}, "", address);
    clip.playbackRate = 1;
    clip.src = `${clip.src}`;
    return clip.play();
  },

  /** Ten seconds fast. @param {number} rate */
  on: async (rate) => {
    const { clip } = globalThis;
    const end = clip.currentTime + 10;
    clip.playbackRate = rate;
    await new Promise((resolve) => clip.addEventListener("timeupdate", () => clip.currentTime >= end && resolve(undefined)));
  },

  /** Puts the words of another page around the video, which plays on. The title changes only if it is to. @param {string} html @param {boolean} titled */
  turn: (html, titled) => {
    const next = /** @type {any} */ (Document).parseHTMLUnsafe(html);
    if (titled) document.title = next.title;
    const holds = (/** @type {any} */ node) => node.localName === "video" || [...node.childNodes, ...(node.shadowRoot ? [node.shadowRoot] : [])].some(holds);
    const morph = (/** @type {any} */ is, /** @type {any} */ like) => {
      if (is.localName === "video") return;
      const [player, place] = [is, like].map((one) => [...one.childNodes, ...(one.shadowRoot ? [one.shadowRoot] : [])].find(holds));
      if (player === is.shadowRoot) return morph(player, place);
      const [before, after] = [[], []];
      for (const one of [...like.childNodes]) (place.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_PRECEDING ? before : after).push(one);
      for (const one of [...is.childNodes]) if (one !== player) one.remove();
      player.before(...before);
      player.after(...after.filter((one) => one !== place));
      morph(player, place);
    };
    morph(document.body, next.body);
  },

  /** Ten seconds fast, then a jump over what is between, then the last 15. @param {number} rate */
  toEnd: async (rate) => {
    const { clip } = globalThis;
    if (clip.ended) throw new Error("the clip has ended before anybody looked");
    const from = clip.currentTime;
    const once = (/** @type {string} */ type, done = () => true) => new Promise((resolve, reject) => {
      clip.addEventListener("error", () => reject(new Error(clip.error?.message)), { once: true });
      clip.addEventListener(type, function listen() {
        if (!done()) return;
        clip.removeEventListener(type, listen);
        resolve(undefined);
      });
    });
    clip.playbackRate = rate;
    await once("timeupdate", () => clip.currentTime >= from + 10);
    const ended = once("ended");
    clip.currentTime = clip.duration - 15;
    await ended;
  },
};
