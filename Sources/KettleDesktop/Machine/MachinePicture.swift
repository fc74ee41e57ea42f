import KettleModel

/// What is known of the machine at one moment.
struct MachinePicture: Hashable, Sendable {
  /// What UPower says, where there is one.
  var isOnBattery: Bool?
  /// What the kernel says; read only where UPower says nothing.
  var supplies: [PowerSupply] = []
  /// NetworkManager's `NMMetered`, where there is one.
  var metered: UInt32?

  /// 1 is a metered network and 3 one that is taken for it; without anybody who knows, a network
  /// costs nothing.
  var isUnmetered: Bool { metered != 1 && metered != 3 }

  var isOnMains: Bool { isOnBattery.map { !$0 } ?? supplies.isOnMains }

  func met(_ settings: MachineWatch.Settings) -> Set<TransferCondition> {
    Set(
      TransferCondition.allCases.filter { condition in
        switch condition {
        case .mainsPower: settings.mains.answer ?? isOnMains
        case .unmeteredNetwork: settings.unmetered.answer ?? isUnmetered
        }
      })
  }
}
