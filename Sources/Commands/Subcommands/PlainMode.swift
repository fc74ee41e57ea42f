import ControlProtocol
import TransferClient
import TransferModel

/// What `kettle` does where it cannot draw: the list, then events, line by line.
struct PlainMode {
  let world: CommandWorld

  func run() async throws -> ExitCode {
    let follower = EventFollower(
      world: world, place: world.place, client: "kettle", includesProgress: false)
    let line = EventLine(clock: world.clock)
    var hasListed = false
    return try await follower.run { happening in
      switch happening {
      case .connected(let service):
        guard !hasListed else {
          world.console.mention(Sentences.eventsMissed)
          return nil
        }
        hasListed = true
        try await ListCommand.printTable(ListReader(service: service), to: world.console)
        return nil
      case .event(let event):
        try world.console.say(line.text(of: event))
        return nil
      case .interrupted: return .interrupted
      case .limitReached: return nil
      }
    }
  }
}
