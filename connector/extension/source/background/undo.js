/**
 * Takes a viewing back: one that was never sent is forgotten here; of any
 * other the daemon is asked, which knows what became of it. What was an answer
 * to a question becomes the question again, under a new id: the daemon knows
 * the old one for good.
 */

/**
 * @typedef {import("./outbox.js").Event} Event
 * @typedef {import("../messages.js").Answer} Answer
 */

/**
 * @typedef {object} Parts
 * @property {import("./outbox.js").Outbox} outbox
 * @property {import("./deliver.js").Delivery} delivery
 * @property {() => void} changed
 */

/**
 * @param {Parts} parts
 * @param {string} id
 * @param {((was: Event) => Event | null)} [instead] what takes its place
 * @returns {Promise<Answer>}
 */
export function takeBack({ outbox, delivery, changed }, id, instead = question) {
  return delivery.withdrawn(id, async () => {
    const here = await outbox.get(id);
    const was = here ?? (await outbox.recent()).find((one) => one.id === id);
    if (!was || (here && here.state !== "waiting")) return { ok: false, code: "NOT_FOUND", message: "It is not here any more." };
    if (delivery.flies(id)) return { ok: false, code: "UNDO_NOW", message: "It is being sent just now." };
    if (!here || here.tried) {
      const answer = await delivery.ask({ type: "undo", event: id }, { force: true });
      if (answer.type !== "undone" && !(here && answer.code === "NOT_FOUND")) return refusal(answer);
    }
    await outbox.replace(id, instead(was));
    changed();
    return { ok: true };
  });
}

/**
 * The question again, of what was an answer.
 * @param {Event} was
 * @returns {Event | null}
 */
function question({ draft, title, at }) {
  return draft ? { id: crypto.randomUUID(), state: "unknown", title, at, draft } : null;
}

/**
 * @param {import("./conversation.js").Message} answer
 * @returns {Answer}
 */
function refusal({ code, message }) {
  if (code === "UNKNOWN_TYPE") return { ok: false, code: "UNDO_OLD", message: "This Filmspool is too old to take it back." };
  if (code === "OFFLINE") return { ok: false, code: "UNDO_OFFLINE", message: "Filmspool does not answer." };
  return { ok: false, code: "UNDO_REFUSED", message: String(message ?? "").slice(0, 300) };
}
