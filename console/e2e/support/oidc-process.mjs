// The process of a certified OpenID Connect provider (npm oidc-provider). The test changes accounts and keys with
// messages. Its sign-in page accepts any password.
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { Provider } from "oidc-provider";

const accounts = new Map();
let answer = (_, response) => response.writeHead(503).end();
let client;

const server = createServer((request, response) => answer(request, response));
server.listen(0, "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const handlers = {
    /** Registers Reflect at this address. */
    configure: ({ url }) => {
      client = {
        client_id: "reflect",
        client_secret: "a secret for tests only",
        redirect_uris: [`${url}/login/corp/callback`],
        post_logout_redirect_uris: [`${url}/login`],
      };
      answer = start(issuer);
    },
    account: ({ login, claims }) => accounts.set(login, claims),
    /** Signs with a new key. The old key is not published any more. */
    rotate: () => (answer = start(issuer)),
  };
  process.on("message", (message) => {
    handlers[message.kind](message);
    process.send({ done: message.kind });
  });
  process.send({ issuer });
});

function start(issuer) {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = { ...privateKey.export({ format: "jwk" }), kid: randomUUID(), use: "sig", alg: "RS256" };
  const provider = new Provider(issuer, {
    clients: [client],
    jwks: { keys: [key] },
    cookies: { keys: ["a key for tests only"] },
    claims: { email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
    pkce: { required: () => true },
    findAccount: (_, login) => ({
      accountId: login,
      claims: () => ({ sub: login, ...accounts.get(login) }),
    }),
  });
  return provider.callback();
}
