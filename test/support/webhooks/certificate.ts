import { generateKeyPairSync, sign } from 'node:crypto';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A self-signed certificate, in PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const ECDSA_WITH_SHA256 = Buffer.from('06082a8648ce3d040302', 'hex');
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const SUBJECT_ALTERNATIVE_NAME = Buffer.from('0603551d11', 'hex');
const DAY_MILLISECONDS = 86_400_000;

/** Returns a certificate for these names and addresses, valid from yesterday to the given time. */
export function certificateFor(names: readonly string[], until = new Date(Date.now() + DAY_MILLISECONDS)): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(ECDSA_WITH_SHA256);
  const name = sequence(element(0x31, sequence(COMMON_NAME, element(0x0c, Buffer.from('test receiver')))));
  const alternatives = sequence(...names.map(alternative));
  const body = sequence(
    element(0xa0, element(0x02, Buffer.from([2]))),
    element(0x02, Buffer.from([1])),
    algorithm,
    name,
    sequence(time(new Date(Math.min(Date.now(), until.getTime()) - DAY_MILLISECONDS)), time(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(sequence(SUBJECT_ALTERNATIVE_NAME, element(0x04, alternatives)))),
  );
  const signature = element(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]));
  const base64 = sequence(body, algorithm, signature)
    .toString('base64')
    .replace(/.{1,64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${base64}-----END CERTIFICATE-----\n`,
  };
}

function alternative(name: string): Buffer {
  return isIP(name) === 0
    ? element(0x82, Buffer.from(name))
    : element(0x87, Buffer.from(ipaddr.parse(name).toByteArray()));
}

/** Returns one element of DER. */
function element(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...elements: readonly Buffer[]): Buffer {
  return element(0x30, Buffer.concat(elements));
}

function time(at: Date): Buffer {
  return element(0x17, Buffer.from(`${at.toISOString().replace(/\.\d+/, '').replace(/[-:T]/g, '').slice(2)}`));
}
