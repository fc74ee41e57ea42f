/// Converts between the numbers of one machine, which others use as well, and those of a list of
/// several machines.
package struct MachineIDs: Hashable, Sendable {
  private static let bitCount: Int64 = 6
  /// How many machines a list can have.
  package static let countMax = 1 << bitCount

  /// The place of the machine in the list, less than `countMax`.
  package let index: Int

  package init(index: Int) { self.index = index }

  /// Returns the number in the list; nil if it would be too large.
  package func shared(_ own: Int64) -> Int64? {
    let (number, overflow) = own.multipliedReportingOverflow(by: Int64(Self.countMax))
    return overflow ? nil : number | Int64(index)
  }

  /// Returns the place of the machine of a number in the list.
  package static func index(of shared: Int64) -> Int { Int(shared & Int64(countMax - 1)) }

  /// Returns the number that the machine itself uses.
  package static func own(_ shared: Int64) -> Int64 { shared >> bitCount }

  package func shared(_ own: TransferID) -> TransferID? {
    shared(own.rawValue).map(TransferID.init(rawValue:))
  }

  package static func index(of shared: TransferID) -> Int { index(of: shared.rawValue) }

  package static func own(_ shared: TransferID) -> TransferID {
    TransferID(rawValue: own(shared.rawValue))
  }
}

extension MachineIDs {
  /// Returns the row of a machine as the list has it; nil if it has no place there.
  package func shared(_ row: TransferSnapshot, machine: String) -> TransferSnapshot? {
    guard let id = shared(row.id) else { return nil }
    var row = row
    row.id = id
    row.machine = machine
    if let member = row.member {
      guard let collection = shared(member.collection) else { return nil }
      row.member?.collection = collection
    }
    if let sync = row.collection?.sync { row.collection?.sync = shared(sync) }
    if let repair = row.check?.repair { row.check?.repair = shared(repair) }
    return row
  }
}

extension RowFilter {
  /// Returns what a machine is asked, in its own numbers; nil if none of its rows can match.
  ///
  /// - Parameters:
  ///   - index: the place of the machine in the list.
  ///   - name: its name.
  package func part(ofMachine index: Int, named name: String) -> RowFilter? {
    guard machine == nil || machine == name else { return nil }
    var part = self
    part.machine = nil
    if case .of(let collection) = membership {
      guard MachineIDs.index(of: collection) == index else { return nil }
      part.membership = .of(MachineIDs.own(collection))
    }
    return part
  }
}

/// The machines whose lists are shown as one.
package struct MachinesGlance: Hashable, Sendable {
  /// A machine that cannot be reached.
  package struct Missing: Hashable, Sendable {
    package var name: String
    package var since: WallTime

    package init(name: String, since: WallTime) {
      self.name = name
      self.since = since
    }
  }

  package var names: [String]
  package var missing: [Missing]

  package init(names: [String], missing: [Missing] = []) {
    self.names = names
    self.missing = missing
  }
}
