import { cookieText, sessionTokenOf, transportOf } from './session-cookie.js';
import { newToken } from '../../access/authentication/sessions.js';

const request = (protocol: 'http' | 'https', host: string, cookie?: string) => ({
  protocol,
  headers: { host, ...(cookie === undefined ? {} : { cookie }) },
});

it.each([
  ['https', 'hr.example', null, 'secure'],
  ['http', 'hr.example', 'https://hr.example', 'secure'],
  ['http', 'hr.example', 'http://hr.example', null],
  ['http', 'hr.example', null, null],
  ['http', 'localhost:3000', null, 'loopback'],
  ['http', '127.0.0.1:3000', null, 'loopback'],
  ['http', '[::1]:3000', null, 'loopback'],
  ['http', '127.0.0.1.evil.example', null, null],
  ['http', 'localhost.evil.example:3000', null, null],
] as const)('%s to %s with PUBLIC_URL %s comes %s', (protocol, host, publicUrl, transport) => {
  expect(transportOf(request(protocol, host), publicUrl)).toBe(transport);
});

describe('the cookie of a session', () => {
  const token = newToken();

  it('is bound to its host over HTTPS, and has another name on this machine', () => {
    const options = { sameSite: 'Strict', maximumAge: 60 } as const;
    expect(cookieText('session', token, { ...options, transport: 'secure' })).toBe(
      `__Host-workforce_session=${token}; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure`,
    );
    expect(cookieText('session', token, { ...options, transport: 'loopback' })).toBe(
      `workforce_session=${token}; Path=/; Max-Age=60; HttpOnly; SameSite=Strict`,
    );
  });

  it('is found among others', () => {
    expect(sessionTokenOf(request('https', 'hr.example', `a=1; __Host-workforce_session=${token}; b=2`), null)).toBe(
      token,
    );
  });

  it.each([
    ['https', `workforce_session=${token}`],
    ['https', `x__Host-workforce_session=${token}`],
    ['https', `__Host-workforce_session=${token}x`],
    ['https', '__Host-workforce_session='],
    ['http', `__Host-workforce_session=${token}`],
  ] as const)('is not taken by %s from %s', (protocol, cookie) => {
    expect(
      sessionTokenOf(request(protocol, protocol === 'https' ? 'hr.example' : 'localhost', cookie), null),
    ).toBeNull();
  });

  it('is refused over HTTP through a network', () => {
    expect(
      sessionTokenOf(
        request('http', 'hr.example', `workforce_session=${token}; __Host-workforce_session=${token}`),
        null,
      ),
    ).toBeNull();
  });
});
