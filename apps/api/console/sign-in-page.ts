/**
 * The page that a link leads to. It signs in when its button is pressed, and not when it is opened: scanners of e-mail open links, and some run
 * their scripts. The token is in the fragment, which browsers do not send.
 */
export const SIGN_IN_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Sign in to Workforce HR</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <main>
      <h1>Workforce HR</h1>
      <p id="message" role="status">Open the link that you were given.</p>
      <button id="sign-in" type="button" hidden>Sign in</button>
      <p><a id="provider" href="/console/openid-connect" hidden>Sign in with your organisation</a></p>
    </main>
    <script src="/console/sign-in.js"></script>
  </body>
</html>
`;

/** @param hasProvider whether people can sign in at an OpenID provider as well. */
export function signInScript(hasProvider: boolean): string {
  return `const token = location.hash.slice(1);
const problem = new URLSearchParams(location.search).get('problem');
const message = document.getElementById('message');
const button = document.getElementById('sign-in');
const PROBLEMS = {
  failed: 'The sign-in at your organisation failed. Try again.',
  refused: 'Your organisation has given you no access to Workforce HR.',
  unavailable: 'The sign-in of your organisation does not answer. Try again later.',
};
document.getElementById('provider').hidden = ${String(!hasProvider)};
history.replaceState(null, '', location.pathname);
if (token !== '') {
  message.textContent = 'Press the button to sign in. The link works once.';
  button.hidden = false;
} else if (problem in PROBLEMS) {
  message.textContent = PROBLEMS[problem];
} else {
  show();
}
button.addEventListener('click', async () => {
  button.disabled = true;
  const answer = await fetch('/console/session', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  button.hidden = true;
  if (answer.ok) return show();
  message.textContent = (await answer.json()).error.message;
});
async function show() {
  const answer = await fetch('/console/session');
  if (!answer.ok) return;
  const { data } = await answer.json();
  message.textContent = 'You are signed in as ' + data.user.email + ' of ' + data.organisation.name + ', ' + data.role + '.';
}
`;
}
