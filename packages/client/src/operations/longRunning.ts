// Made from the contract by test/operations.test.ts: not written by hand.
export const longRunning = {
  "autoscaling.create": {"read":"autoscaling.show","field":"state","done":["active"],"failed":["limited","failing","held"],"topic":"asg.lifecycle"},
  "autoscaling.update": {"read":"autoscaling.show","field":"state","done":["active"],"failed":["limited","failing","held"],"topic":"asg.lifecycle"},
  "autoscaling.remove": {"read":"autoscaling.show","field":"state","done":[],"failed":[],"topic":"asg.lifecycle","gone":true},
  "databases.create": {"read":"databases.show","field":"status","done":["ready"],"failed":["failing"]},
  "databases.resize": {"read":"databases.show","field":"status","done":["ready"],"failed":["failing"]},
  "databases.remove": {"read":"databases.show","field":"status","done":[],"failed":["failing"],"gone":true},
  "databases.restore": {"read":"databases.show","field":"status","done":["ready"],"failed":["failing"]},
  "dns.createZone": {"read":"dns.showZone","field":"status","done":["ACTIVE"],"failed":["ERROR"]},
  "dns.changeZone": {"read":"dns.showZone","field":"status","done":["ACTIVE"],"failed":["ERROR"]},
  "dns.removeZone": {"read":"dns.showZone","field":"status","done":[],"failed":["ERROR"],"gone":true},
  "edge.create": {"read":"edge.show","field":"state","done":["active"],"failed":[]},
  "projects.remove": {"read":"projects.show","field":"state","done":[],"failed":["live"],"gone":true}
} as const
