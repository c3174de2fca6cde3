// The pages work without this. It draws a page anew when something has changed.
'use strict';

const link = document.getElementById('link');
let source = null;
let due = false; // something changed while the page could not be drawn

/** Says that Filmspool does not answer, or takes that back. */
function lost(is) {
  link.hidden = !is;
  link.textContent = is ? link.dataset.lost : '';
}

/** Reports whether a person is busy in a part of the page: it stays as it is then. */
function busy(part) {
  const at = document.activeElement;
  return part.contains(at) && at !== document.body && at.matches('input, select, textarea, [aria-expanded=true]')
    || part.querySelector('details[open], dialog[open]') !== null;
}

let drawing = false;
let again = false; // something changed while the page was drawn

/** Draws the page as it is now. One answer is awaited at a time: an older one could come last, and stay. */
async function draw() {
  again = true;
  if (drawing) return;
  drawing = true;
  try {
    while (again) {
      again = false;
      await takeIn();
    }
  } finally {
    drawing = false;
  }
}

/** Asks for this page anew, and takes in the parts that have changed. */
async function takeIn() {
  if (!document.querySelector('[data-live]')) return;
  let text;
  try {
    const answer = await fetch(location.href, { headers: { Accept: 'text/html' } });
    if (answer.status === 401) { location.reload(); return; }
    if (!answer.ok) return;
    text = await answer.text();
  } catch {
    return; // the stream tells when Filmspool is back
  }
  const fresh = new DOMParser().parseFromString(text, 'text/html');
  due = false;
  for (const part of document.querySelectorAll('[data-live]')) {
    const next = fresh.getElementById(part.id);
    if (!next || next.isEqualNode(part)) continue;
    if (busy(part)) { due = true; continue; }
    const held = part.contains(document.activeElement) ? document.activeElement.id : '';
    part.replaceWith(next);
    if (held) document.getElementById(held)?.focus();
  }
}

/** Listens while somebody can see the page. */
function listen() {
  if (document.hidden || source) return;
  source = new EventSource('/live');
  source.addEventListener('here', () => { lost(false); draw(); });
  source.addEventListener('change', draw);
  source.onerror = () => {
    lost(true);
    if (source.readyState === EventSource.CLOSED) { source = null; setTimeout(listen, 10_000); }
  };
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden) { listen(); return; }
  source?.close();
  source = null;
});
document.addEventListener('focusout', () => { if (due) draw(); });
// A form is sent once, however often somebody clicks.
document.addEventListener('submit', (event) => {
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = 'yes';
});
document.addEventListener('click', async ({ target }) => {
  if (!target.dataset?.copy) return;
  await navigator.clipboard.writeText(target.dataset.copy);
  target.nextElementSibling.textContent = target.dataset.copied;
});

// A file that is too large is refused before it is sent.
document.addEventListener('change', ({ target }) => {
  if (!target.dataset.most) return;
  target.setCustomValidity(target.files[0]?.size > Number(target.dataset.most) ? target.dataset.large : '');
  target.reportValidity();
});
// A switch saves itself.
document.addEventListener('change', ({ target }) => { if ('saves' in target.dataset) target.form.requestSubmit(); });
/** Finds while somebody types: the address of the form answers with the page. */
let typing = 0;
document.addEventListener('input', ({ target }) => {
  if (!target.dataset?.find) return;
  clearTimeout(typing);
  typing = setTimeout(async () => {
    const text = target.value.trim();
    if (text.length < 3) return;
    const answer = await fetch(`${target.form.action}?${new URLSearchParams({ [target.name]: text })}`);
    const next = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById(target.dataset.find);
    if (next && target.value.trim() === text) document.getElementById(target.dataset.find).replaceWith(next);
  }, 400);
});
// A refusal is read out, unless a field of the form takes the focus.
if (!document.querySelector('[autofocus]')) document.getElementById('fault')?.focus();
addEventListener('pageshow', () => { for (const form of document.forms) delete form.dataset.sent; });
listen();
