import KettleModel

/// What is known about the machine at one moment.
struct MachineSnapshot: Hashable, Sendable {
  /// UPower's answer, where it exists.
  var isOnBattery: Bool?
  /// The kernel's answer; read only when UPower has none.
  var supplies: [PowerSupply] = []
  /// NetworkManager's `NMMetered`, where it exists.
  var metered: UInt32?

  /// 1 is a metered network and 3 one that is guessed to be metered. Unknown counts as unmetered.
  var isUnmetered: Bool { metered != 1 && metered != 3 }

  var isOnMains: Bool { isOnBattery.map { !$0 } ?? supplies.isOnMains }

  func metConditions(_ settings: MachineWatch.Settings) -> Set<TransferCondition> {
    Set(
      TransferCondition.allCases.filter { condition in
        switch condition {
        case .mainsPower: settings.mains.preset ?? isOnMains
        case .unmeteredNetwork: settings.unmetered.preset ?? isUnmetered
        }
      })
  }
}
