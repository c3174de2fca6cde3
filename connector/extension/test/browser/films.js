// Pages that play a film: a generated clip, what the page says about it, and
// the many places where a page can keep its player.

/**
 * @typedef {object} Film
 * @property {string} title
 * @property {number} year
 * @property {number} tmdb
 */

/** Of most clips, in seconds. */
export const CLIP = 3;

/** Of a clip during which something else has to happen. */
export const LONG = 12;

/** The rule of the scenarios: half of it played, 80 % reached, and no least length that matters. */
const threshold = { played: 0.5, position: 0.8, minimum: 1 };
export const RULE = { movie: threshold, episode: threshold, last: 0 };

/** @param {Film} film */
const jsonld = ({ title, year, tmdb }) => JSON.stringify({
  "@context": "https://schema.org", "@type": "Movie", name: title, datePublished: String(year), sameAs: `https://www.themoviedb.org/movie/${tmdb}`,
});

/** @param {Film} film */
export const head = (film) => `<!doctype html><meta charset="utf-8"><title>${film.title} (${film.year})</title>
<script type="application/ld+json">${jsonld(film)}</script>`;

/** The player in the page itself. @param {Film} film @param {{attributes?: string, seconds?: number}} [more] */
export const plain = (film, { attributes = "", seconds = CLIP } = {}) => `${head(film)}
<video id="clip" src="/clip-${seconds}.wav" ${attributes}></video><script>globalThis.clip = document.getElementById("clip");</script>`;

/** A page that names the film in its title alone. @param {string} title @param {number} [seconds] */
export const named = (title, seconds = CLIP) => `<!doctype html><meta charset="utf-8"><title>${title}</title>
<video id="clip" src="/clip-${seconds}.wav"></video><script>globalThis.clip = document.getElementById("clip");</script>`;
/** A player of which its page says nothing. */
export const unnamed = ({ seconds = CLIP } = {}) => `<video id="clip" src="/clip-${seconds}.wav" width="640" height="300"></video>
<script>globalThis.clip = document.getElementById("clip");</script>`;

/** A page that has a title, and nothing that is certain. @param {string} title @param {string} body */
export const titled = (title, body) => `<!doctype html><meta charset="utf-8"><title>${title}</title>${body}`;

/** What is known of it is one link. @param {Film} film */
export const linked = ({ title, year, tmdb }) => `<!doctype html><meta charset="utf-8"><title>${title} (${year})</title>
<a href="https://www.themoviedb.org/movie/${tmdb}">TMDB</a>
<video id="clip" src="/clip-${CLIP}.wav"></video><script>globalThis.clip = document.getElementById("clip");</script>`;

/**
 * The player comes late, in a shadow root. Nothing tells the extension of it,
 * so it may be some seconds until it looks: the clip is longer.
 * @param {Film} film
 */
export const shadowed = (film) => `${head(film)}
<script>
addEventListener("load", () => {
  const root = document.body.appendChild(document.createElement("div")).attachShadow({ mode: "open" });
  globalThis.clip = root.appendChild(Object.assign(document.createElement("video"), { src: "/clip-${2 * LONG}.wav" }));
});
</script>`;

/** The player in a frame; both say what it is. @param {Film} film @param {string} player address of the frame */
export const framed = (film, player) => `${head(film)}<iframe src="${player}" allow="autoplay"></iframe>`;

/**
 * One page that shows one film after the other, without loading anew. The next one begins after its opening, as players
 * do that skip it: only the page's name tells that it is another film.
 * @param {Film[]} films
 */
export const oneByOne = (films) => `${plain(films[0])}
<script>
const films = ${JSON.stringify(films.map((film) => ({ ...film, jsonld: jsonld(film) })))};
globalThis.next = (number) => {
  const film = films[number];
  history.pushState({}, "", "?film=" + number);
  document.title = film.title + " (" + film.year + ")";
  document.querySelector('script[type="application/ld+json"]').textContent = film.jsonld;
  globalThis.clip.src = "/clip-${CLIP}.wav?film=" + number;
  return new Promise((ready) => {
    globalThis.clip.addEventListener("loadedmetadata", () => {
      globalThis.clip.addEventListener("seeked", () => ready(), { once: true });
      globalThis.clip.currentTime = 0.2 * globalThis.clip.duration;
    }, { once: true });
  });
};
</script>`;

/**
 * For Tab.run: plays the clip of the page to its end, and tells when it had
 * passed 80 %: that is when it counts as watched.
 */
export const play = () => new Promise((done, failed) => {
  const { clip } = /** @type {{clip: HTMLVideoElement & {mozCaptureStream?: () => MediaStream}}} */ (/** @type {any} */ (globalThis));
  clip.mozCaptureStream?.(); // Firefox plays into a stream even where there is no sound card
  let passed = 0;
  const look = () => {
    if (!passed && clip.currentTime >= 0.8 * clip.duration) {
      passed = Date.now();
    }
  };
  clip.addEventListener("timeupdate", look);
  clip.addEventListener("ended", () => {
    clip.removeEventListener("timeupdate", look);
    done(passed);
  }, { once: true });
  clip.addEventListener("error", () => failed(new Error(`the clip cannot be played: ${clip.error?.message}`)), { once: true });
  const { duration } = clip;
  setTimeout(() => failed(new Error(`the clip stands at ${clip.currentTime} of ${duration}, state ${clip.readyState}`)), 60_000);
  clip.play().catch(failed);
});
