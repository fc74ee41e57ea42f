import KettleModel
import Testing

struct MachineIDsTests {
  @Test func `numbers of different machines never collide, and lead back`() throws {
    var seen: Set<Int64> = []
    for index in [0, 1, 63] {
      for own in [0, 1, 7, 1 << 40, Int64.max >> 6, -1, Int64.min >> 6] {
        let shared = try #require(MachineIDs(index: index).shared(own))
        #expect(seen.insert(shared).inserted)
        #expect(MachineIDs.index(of: shared) == index)
        #expect(MachineIDs.own(shared) == own)
      }
    }
  }

  @Test func `a number without room for the machine is refused`() {
    for own in [Int64.max, Int64.min, (Int64.max >> 6) + 1, (Int64.min >> 6) - 1] {
      #expect(MachineIDs(index: 5).shared(own) == nil)
    }
  }

  @Test func `a row keeps its collection`() throws {
    let path = try #require(MemberPath(foreign: "a/b"))
    var row = TransferSnapshot(
      id: TransferID(rawValue: 3), session: .kettle, taskIdentifier: 3, title: "b", url: "",
      state: .paused, createdAt: WallTime(millisecondsSince1970: 0))
    row.member = MemberRole(collection: TransferID(rawValue: 2), number: 0, path: path)
    let shared = try #require(MachineIDs(index: 1).shared(row, machine: "nas"))
    #expect(shared.id == TransferID(rawValue: 193))
    #expect(shared.member?.collection == TransferID(rawValue: 129))
    #expect(shared.machine == "nas")
    row.member?.collection = TransferID(rawValue: .max)
    #expect(MachineIDs(index: 1).shared(row, machine: "nas") == nil)
  }

  @Test func `a filter leads to the machines that can have matching rows`() {
    let filter = RowFilter(states: [.failed], machine: "nas")
    #expect(filter.part(ofMachine: 0, named: "nas") == RowFilter(states: [.failed]))
    #expect(filter.part(ofMachine: 1, named: "box") == nil)
    let members = RowFilter(membership: .of(TransferID(rawValue: 5 * 64 + 1)))
    #expect(members.part(ofMachine: 0, named: "nas") == nil)
    #expect(
      members.part(ofMachine: 1, named: "box")
        == RowFilter(membership: .of(TransferID(rawValue: 5))))
  }
}
