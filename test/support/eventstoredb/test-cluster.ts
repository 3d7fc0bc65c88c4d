import type { ClusterView, Endpoint, Member } from './cluster-view.js';
import { Log } from './log.js';
import { EventStoreDbTestServer } from './test-server.js';

const ADDRESS = '127.0.0.1';

/**
 * Nodes that share one log, as if replication took no time. Tests elect the leader. A follower refuses a call
 * that requires the leader, and names the leader.
 */
export class TestCluster implements ClusterView {
  private readonly log = new Log(null);
  private readonly running: (EventStoreDbTestServer | null)[] = [];
  private readonly ports: number[] = [];
  private leading = 0;

  static async start(size = 3): Promise<TestCluster> {
    const cluster = new TestCluster();
    for (let node = 0; node < size; node += 1) await cluster.startNode(node);
    return cluster;
  }

  /** All nodes by name. */
  get connectionString(): string {
    return `esdb://${this.ports.map((port) => `${ADDRESS}:${port}`).join(',')}?tls=false`;
  }

  connectionStringOf(node: number, scheme: 'esdb' | 'esdb+discover' = 'esdb'): string {
    return `${scheme}://${ADDRESS}:${this.ports[node]}?tls=false`;
  }

  leader(): Endpoint {
    return { address: ADDRESS, port: this.ports[this.leading]! };
  }

  members(): readonly Member[] {
    return this.ports.map((port, node) => ({ address: ADDRESS, port, isAlive: this.running[node] !== null }));
  }

  /** Returns a running node. */
  node(node: number): EventStoreDbTestServer {
    return this.running[node]!;
  }

  elect(node: number): void {
    this.leading = node;
  }

  kill(node: number): void {
    this.node(node).crash();
    this.running[node] = null;
  }

  /** Starts a node, also again after `kill`, on the same port. */
  async startNode(node: number): Promise<void> {
    const server = await EventStoreDbTestServer.start(
      { port: this.ports[node] ?? 0 },
      { cluster: this, log: this.log },
    );
    this.running[node] = server;
    this.ports[node] = server.port;
  }

  stop(): void {
    for (const server of this.running) server?.crash();
  }
}
