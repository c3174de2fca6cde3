/** A new list, to be made at the service. */
import { request } from "./ask.js";
import { find, form, input } from "./elements.js";
import { dropDrafts, fault, hasDraft, keepDraft, onSubmit, say } from "./fields.js";
import { LONGEST } from "./typed.js";
import { text } from "./words.js";

/** @param {() => Promise<void>} refresh */
export function listView(refresh) {
  const name = input("list-name");
  const description = find("list-description", HTMLTextAreaElement);
  keepDraft(name, "list-name");
  keepDraft(description, "list-description");
  find("list", HTMLDetailsElement).open = hasDraft("list-name") || hasDraft("list-description");
  onSubmit(form("list-form"), async () => {
    const called = name.value.trim();
    const told = description.value.trim();
    if (called === "") return fault(name, text("faultListName"));
    if (length(called) > LONGEST.name) return fault(name, text("faultLong", LONGEST.name, length(called)));
    if (length(told) > LONGEST.description) return fault(description, text("faultLong", LONGEST.description, length(told)));
    const visibility = input("list-public").checked ? "PUBLIC" : "PRIVATE";
    const answer = await request({ kind: "list", name: called, ...(told && { description: told }), visibility });
    if (!answer.ok) return fault(name, answer.why);
    dropDrafts("list-name", "list-description");
    form("list-form").reset();
    await refresh();
    name.focus();
    say(text("listKept", called));
  });
}

/** Characters as the daemon counts them. @param {string} words */
const length = (words) => [...words].length;
