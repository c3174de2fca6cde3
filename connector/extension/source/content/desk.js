/**
 * The desk of one frame: it keeps its sittings, asks the background about
 * them, and says when one was watched.
 */
(() => {
  const own = (globalThis.filmspool ??= {});
  const { Sitting, Book } = own.sitting;
  const { Cover } = own.meter;

  /** Played seconds since the medium was loaded after which the page is looked at again: its words may come late. */
  const LOOKS = [5, 30, 120, 600, 1800, 3600];
  /** Played seconds of a new sitting in which the page may still show the words of the one before. */
  const SETTLING = 10;
  /** Played seconds between two notes of how far it got. */
  const NOTE_EVERY = 120;
  /** Fewer are not worth a note. */
  const NOTE_FROM = 60;
  /** Milliseconds between two readings by the site's rule while it plays. */
  const READ_EVERY = 1000;
  /** Milliseconds until what was answered with a no is asked again while it plays. */
  const ASK_AGAIN = 30_000;

  /** @param {any} rule @returns {boolean} */
  function isRule(rule) {
    const parts = [rule?.movie, rule?.episode];
    return parts.every((part) => part && ["played", "position", "minimum"].every((name) => Number.isFinite(part[name])));
  }

  /**
   * @param {Record<string, any>} answer
   * @returns {string} names what is certain; "" when nothing is
   */
  function certainty({ certain, identified }) {
    const { type, ids, show, season, episode } = identified ?? {};
    return certain === true ? JSON.stringify([type, ids?.tmdb, show?.ids?.tmdb, season, episode]) : "";
  }

  /** @param {any[]} say the sources of a rule @param {any[]} said @returns {boolean} whether one tells the item, whatever the address */
  const named = (say, said) => say.some(({ from, same }, i) =>
    !same && from !== "object" && from !== "jsonld" && ["film", "place", "episode", "alone"].some((part) => said[i][part]));

  class Desk {
    rule = own.rule.usual;
    /** Whether the background has told its rule. */
    known = false;
    book = new Book();
    /** @type {any} the rule of this frame's site, or null */
    site = null;
    #words = new own.words.Words();
    #readAt = -Infinity;
    /** @type {{page: string, told: any}} what the page's own object told last, and where */
    #object = { page: "", told: null };
    /** @type {{sitting: any, watch: any} | null} what played last */
    active = null;
    /** @type {WeakRef<any>[]} of all video elements that were met */
    #watches = [];
    #teller;
    #send;
    #clock;
    #acted = -Infinity;
    /** @type {WeakMap<any, {busy: boolean, dirty: boolean, sent: string, askedAt: number, looks: number, noted: number, servers: string[], tries: number, timer: any, before: any, others: any[], again: any, told: any}>} */
    #notes = new WeakMap();

    /**
     * @param {{send?: (message: any) => Promise<any>, clock?: () => number}} [options]
     */
    constructor({ send = own.post.send, clock = () => performance.now() } = {}) {
      this.#send = send;
      this.#clock = clock;
      this.#teller = new own.post.Teller(send);
    }

    /** @param {any} watch of a video element that was just met */
    meet(watch) {
      if (this.#watches.length % 50 === 49) this.#watches = this.#watches.filter((one) => one.deref());
      this.#watches.push(new WeakRef(watch));
    }

    /** @returns {number} milliseconds */
    now() {
      return this.#clock();
    }

    /** The user has clicked or typed on the page. */
    act() {
      this.#acted = this.now();
    }

    /** @param {number} at @returns {boolean} whether the user has acted since */
    actedSince(at) {
      return this.#acted >= at;
    }

    /**
     * @param {number} duration seconds
     * @param {number} position seconds
     * @returns {any} the sitting of this page that goes on with such a medium; null when there is none
     */
    find(duration, position) {
      return this.book.find(own.place.name(), duration, own.evidence.mediaSession()?.title ?? "", position, this.site?.bind === "medium");
    }

    /**
     * Finds the sitting a medium belongs to, or begins one.
     * @param {any} watch
     * @param {number} position seconds
     */
    open(watch, position) {
      let sitting = this.find(watch.duration, position);
      if (!sitting) {
        const last = this.book.all.findLast((/** @type {any} */ one) => own.rule.longer(this.rule, one.duration));
        sitting = new Sitting(own.place.name(), own.place.here(), watch.duration);
        this.#note(sitting).before = last?.evidence;
        this.#note(sitting).others = this.book.all.filter((/** @type {any} */ { crossed }) => crossed);
        this.book.add(sitting);
        void this.announce(sitting);
      }
      this.#note(sitting).looks = 0;
      return sitting;
    }

    /** @param {any} sitting */
    #note(sitting) {
      let note = this.#notes.get(sitting);
      if (!note) {
        note = { busy: false, dirty: false, sent: "", askedAt: -Infinity, looks: 0, noted: 0, servers: [], tries: 0, timer: null, before: null, others: [], again: null, told: null };
        this.#notes.set(sitting, note);
      }
      return note;
    }

    /**
     * Takes what was played.
     * @param {any} watch
     * @param {[number, number]} span
     */
    played(watch, span) {
      let { sitting } = watch;
      const note = this.#note(sitting);
      const waited = this.now() - note.askedAt >= ASK_AGAIN;
      if (waited && !note.busy && sitting.answer.record !== true) void this.announce(sitting);
      if (sitting.answer.record === false) return;
      if (sitting.add(span) && !watch.element.loop) {
        sitting = watch.sitting = this.#again(sitting, watch);
        void this.announce(sitting);
      }
      this.active = { sitting, watch };
      if (this.#listen(READ_EVERY)) void this.announce(sitting);
      this.judge(sitting);
      const { seconds } = sitting.cover;
      if (!sitting.crossed && watch.sinceLoad >= (LOOKS[this.#note(sitting).looks] ?? Infinity)) {
        this.#note(sitting).looks = LOOKS.findLastIndex((look) => look <= watch.sinceLoad) + 1;
        void this.announce(sitting);
      }
      if (seconds - this.#note(sitting).noted >= NOTE_EVERY) this.leave(sitting);
    }

    /**
     * The film has begun a second time, or the player goes on with another of that length.
     * @param {any} sitting
     * @param {any} watch
     * @returns {any} the next sitting
     */
    #again(sitting, watch) {
      const next = sitting.repeated();
      const { medium, page } = this.#note(sitting).told ?? {};
      if (medium !== watch.medium && page === own.place.visit()) this.#note(next).again = sitting;
      this.book.add(next);
      return next;
    }

    /** @param {any} sitting */
    judge(sitting) {
      if (sitting.crossed || sitting.answer.record !== true) return;
      const state = { played: sitting.cover.seconds, position: sitting.position, duration: sitting.duration };
      if (own.rule.needs(this.rule, sitting.kind, state) > 0) return;
      sitting.cross();
      this.#note(sitting).told = { medium: this.active?.watch.medium, page: own.place.visit() };
      void this.#settle(sitting);
    }

    /** @param {any} sitting that has just crossed; the page gets a last chance to say what it is */
    async #settle(sitting) {
      await this.#look(sitting);
      this.#tell(sitting);
    }

    /** @param {any} sitting */
    #tell(sitting) {
      if (!sitting.crossed || sitting.crossed.message) return;
      sitting.crossed.message = sitting.message();
      this.#teller.tell(sitting.crossed.message);
    }

    /**
     * Looks at the page, unless it shows another film by now.
     * @param {any} sitting
     */
    async #look(sitting) {
      const { servers } = this.#note(sitting);
      const here = () => own.place.name() === sitting.page;
      if (!here()) return;
      const provider = await own.provider.playing(servers, sitting.duration);
      if (this.site?.say.some((/** @type {any} */ { from }) => from === "object")) this.#object = { page: sitting.page, told: await this.#send({ kind: "object" }) };
      if (!here()) return;
      this.#read(sitting, provider);
      sitting.place = own.place.here();
    }

    /**
     * @param {any} sitting whose page is shown
     * @param {Record<string, any> | null} provider what a media server has just said
     */
    #read(sitting, provider) {
      const { before } = this.#note(sitting);
      const { evidence, cover } = sitting;
      let said = own.place.evidence();
      if (before && cover.seconds < SETTLING) said = own.evidence.without(said, before);
      sitting.evidence = { ...(evidence ? own.evidence.kept(evidence, said) : said), provider: provider ?? evidence?.provider ?? null };
    }

    /**
     * Reads by the rule of the site what plays, as often as that is worth it.
     * @param {number} [every] milliseconds
     * @returns {boolean} whether it has told something new
     */
    #listen(every = 0) {
      const { sitting, watch } = this.active ?? {};
      const plays = this.site && sitting && !sitting.crossed && watch.sitting === sitting && own.place.name() === sitting.page;
      if (!plays || this.now() - this.#readAt < every) return false;
      this.#readAt = this.now();
      const object = this.#object.page === sitting.page ? this.#object.told : null;
      const reading = own.site.read(this.site, watch.element, object);
      if (!reading) return false;
      this.#words.take(this.site, reading, watch, this.#readAt);
      if (named(this.site.say, reading.said) && watch.sinceLoad >= SETTLING) this.#note(sitting).again = null;
      const before = JSON.stringify(sitting.site);
      const told = this.#words.told(this.site);
      sitting.site = this.#isStale(sitting, told) ? { ...told, torn: true } : told;
      return before !== JSON.stringify(sitting.site);
    }

    /**
     * A player may go on with the next episode before the address does, or without it.
     * @param {any} sitting
     * @param {{numbers: Record<string, string>}} told
     * @returns {boolean} whether the address still has the numbers of another medium that was watched
     */
    #isStale(sitting, { numbers }) {
      const same = (/** @type {any} */ { site }) => JSON.stringify(site?.numbers) === JSON.stringify(numbers);
      const { others, again } = this.#note(sitting);
      const all = again ? [...others, again] : others;
      return this.site.bind === "address" && Object.keys(numbers).length > 0 && all.some(same);
    }

    /** The page has changed: what it shows now may be gone at the next look. */
    glance() {
      own.place.visit();
      this.#listen();
      const { sitting, watch } = this.active ?? {};
      const plays = sitting?.evidence && !sitting.crossed && watch.sitting === sitting;
      if (plays && own.place.name() === sitting.page) this.#read(sitting, null);
    }

    /**
     * Tells the background of a sitting, when there is something new to tell.
     * @param {any} sitting
     */
    async announce(sitting) {
      const note = this.#note(sitting);
      if (note.busy) {
        note.dirty = true;
        return;
      }
      note.busy = true;
      note.askedAt = this.now();
      clearTimeout(note.timer);
      try {
        await this.#look(sitting);
        const said = JSON.stringify([sitting.evidence, sitting.site, sitting.place]);
        if (sitting.crossed || (said === note.sent && sitting.answer.record === true)) return;
        const answer = await this.#send({ kind: "sitting", page: sitting.page, sitting: sitting.message() });
        if (!answer) return this.#later(sitting, note);
        note.tries = 0;
        note.sent = said;
        this.#take(sitting, answer);
      } finally {
        note.busy = false;
        if (note.dirty && !sitting.crossed) {
          note.dirty = false;
          void this.announce(sitting);
        }
      }
    }

    /**
     * Asks again by itself: the background was asleep or just dying, and what plays may end before it is heard of.
     * @param {any} sitting
     * @param {{tries: number, timer: any}} note
     */
    #later(sitting, note) {
      if (!own.post.alive()) return;
      note.timer = setTimeout(() => {
        note.tries++;
        void this.announce(sitting);
      }, own.post.pause(note.tries));
    }

    /**
     * @param {any} sitting
     * @param {Record<string, any>} answer
     */
    #take(sitting, answer) {
      if (isRule(answer.rule)) {
        this.rule = answer.rule;
        this.known = true;
      }
      const [was, is] = [certainty(sitting.answer), certainty(answer)];
      if (was !== "" && is !== "" && was !== is && !sitting.crossed) sitting.renew();
      sitting.answer = answer;
      this.site = answer.site ?? null;
      if (answer.record === false) sitting.cover = new Cover(); // what was not to be recorded does not count later
      else if (answer.resume && this.site?.bind !== "medium" && this.book.all.every((/** @type {any} */ one) => one.id !== answer.resume.id)) sitting.resume(answer.resume);
      const note = this.#note(sitting);
      const servers = answer.servers ?? [];
      if (JSON.stringify(servers) !== JSON.stringify(note.servers)) {
        note.servers = servers;
        note.dirty = true; // look again, and ask them
      }
      this.judge(sitting);
    }

    /**
     * Notes how far a sitting got, so that it can go on after the page was
     * loaded anew.
     * @param {any} sitting
     */
    leave(sitting) {
      const { id, page, duration, startedAt, cover, crossed, answer } = sitting;
      const note = this.#note(sitting);
      if (crossed || answer.record !== true || cover.seconds < NOTE_FROM || cover.seconds === note.noted) return;
      if (!own.rule.long(this.rule, sitting.kind, duration)) return;
      note.noted = cover.seconds;
      void this.#send({ kind: "left", sittingId: id, halfway: { id, page, duration, startedAt, spans: cover.spans } });
    }

    /** The page goes, for good or into the browser's cache. */
    hide() {
      for (const sitting of this.book.all) {
        this.#tell(sitting);
        this.leave(sitting);
      }
      this.#teller.flush();
    }

    /** The page is back out of the browser's cache. */
    show() {
      this.#teller.flush();
    }

    /** @returns {import("../messages.js").NowAnswer} for the popup */
    state() {
      const { sitting, watch } = this.active ?? {};
      if (!sitting || watch.sitting !== sitting || !watch.element.isConnected) return null;
      if (!own.rule.long(this.rule, sitting.kind, sitting.duration)) return null;
      const state = { played: sitting.cover.seconds, position: sitting.position, duration: sitting.duration };
      const needs = sitting.crossed ? 0 : Math.ceil(own.rule.needs(this.rule, sitting.kind, state));
      const why = sitting.crossed ? "" : sitting.answer.record === false ? "paused" : watch.why();
      return { sitting: sitting.crossed?.message ?? sitting.message(), crossed: Boolean(sitting.crossed), needs, ...(why && { why }) };
    }

    /** @returns {{why?: import("../messages.js").Silence, least?: number}} why the largest video that plays is not counted */
    silence() {
      const all = this.#watches.map((one) => one.deref()).filter((watch) => watch !== undefined && watch.why() !== "");
      const [first] = all.sort((one, other) => other.area - one.area);
      if (!first) return {};
      const minima = [this.rule.movie.minimum, this.rule.episode.minimum].sort((one, other) => one - other);
      const least = minima.find((minimum) => first.duration < minimum) ?? minima[1];
      return { why: first.why(), ...(first.why() === "short" && { least }) };
    }

    /** @returns {Record<string, any>} what the page says of itself, without any medium */
    page() {
      return { ...own.place.here(), evidence: own.place.evidence() };
    }
  }

  own.desk = { Desk };
})();
