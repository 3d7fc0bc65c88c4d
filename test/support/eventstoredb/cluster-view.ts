import gossip from '@eventstore/db-client/generated/gossip_pb.js';

/** The address of a node. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** A node as its cluster sees it. */
export interface Member extends Endpoint {
  readonly isAlive: boolean;
}

/** What a node reports about its cluster. */
export interface ClusterView {
  leader(): Endpoint;
  members(): readonly Member[];
}

const FOLLOWER = 6;
const LEADER = 8;

/** A node that is its own leader. */
export const LONE_NODE = (port: number): ClusterView => {
  const node = { address: '127.0.0.1', port, isAlive: true };
  return { leader: () => node, members: () => [node] };
};

/** The answer of Gossip.Read. */
export function clusterMessage(view: ClusterView): gossip.ClusterInfo {
  const { port: leader } = view.leader();
  const members = view.members().map(({ address, port, isAlive }) => {
    const member = new gossip.MemberInfo().setState(port === leader ? LEADER : FOLLOWER).setIsAlive(isAlive);
    return member.setHttpEndPoint(new gossip.EndPoint().setAddress(address).setPort(port));
  });
  return new gossip.ClusterInfo().setMembersList(members);
}
