import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { TestApi } from '../../support/api/test-api.js';

const MAX_FIRST_LOAD = 222_000;

const api = TestApi.forSpec();

const read = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${api.url}${path}`, { headers });

describe('the page of the console', () => {
  it('is the same at every address below /console, and may run only scripts of the service', async () => {
    const nonces = new Set<string>();
    for (const path of ['/console', '/console/people', '/console/people/abc/timeline?as_of=2026-01-01']) {
      const answer = await read(path);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      const policy = answer.headers.get('content-security-policy')!;
      expect(policy).not.toContain('unsafe');
      expect(policy).toContain("script-src 'self';");
      const [, nonce] = /'nonce-([\w-]{22})'/.exec(policy)!;
      nonces.add(nonce!);
      const text = await answer.text();
      expect(text).toContain(`content="${nonce}"`);
      expect(text).not.toMatch(/<script(?![^>]*src=)/);
      expect(text).not.toContain('style=');
    }
    expect(nonces.size).toBe(3);
  });

  it('begins with at most 222 KB of compressed script, each file under a name that changes with it', async () => {
    const text = await (await read('/console')).text();
    const scripts = [...text.matchAll(/(?:src|href)="(\/console\/[^"]+\.js)"/g)].map(([, path]) => path!);
    expect(scripts.length).toBeGreaterThan(1);
    let bytes = 0;
    for (const path of scripts) {
      const answer = await read(path, { 'accept-encoding': 'identity' });
      expect(answer.status).toBe(200);
      if (path.includes('/assets/'))
        expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      bytes += gzipSync(Buffer.from(await answer.arrayBuffer())).length;
    }
    expect(bytes).toBeLessThan(MAX_FIRST_LOAD);
  });

  it('has the styles of every component that it uses of the component library', () => {
    const root = join(__dirname, '..', '..', '..');
    const built = join(root, 'dist', 'apps', 'console', 'assets');
    const textOf = (end: string): string =>
      readdirSync(built)
        .filter((file) => file.endsWith(end))
        .map((file) => readFileSync(join(built, file), 'utf8'))
        .join('\n');
    const classesIn = (text: string): ReadonlySet<string> => new Set(text.match(/\bm_[0-9a-f]{5,8}\b/g));
    const styled = classesIn(readFileSync(join(root, 'node_modules', '@mantine', 'core', 'styles.css'), 'utf8'));
    const [used, present] = [classesIn(textOf('.js')), classesIn(textOf('.css'))];
    expect(used.size).toBeGreaterThan(100);
    expect([...used].filter((name) => styled.has(name) && !present.has(name))).toEqual([]);
  });

  it('is not at the address of the sandbox, which has no users', async () => {
    const url = await api.startAnother('sandbox');
    expect((await fetch(`${url}/console`)).status).toBe(401);
  });
});
