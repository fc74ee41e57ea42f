import KettleControl
import KettleClient
import KettleModel

/// Stops a service and waits until it has ended.
struct ServiceStopping {
  let world: CommandWorld
  let place: ServicePlace

  enum End: Hashable {
    case stopped, didNotRun, stillRuns
  }

  /// Running transfers are synced before the service ends, which a slow disk makes long.
  static let budgetMilliseconds: Int64 = 30_000
  private static let stepMilliseconds: Int64 = 50

  func stop() async throws -> End {
    let service: any ServiceCalling
    do {
      service = try await world.services.connect(
        to: place, client: "kettle daemon stop", startIfNeeded: false)
    } catch ClientError.notRunning {
      return .didNotRun
    } catch let error as RemoteError where error.why == .notRunning {
      return .didNotRun
    }
    do {
      _ = try await service.call(StopService.self, .init())
    } catch ClientError.connectionLost {
      // It may be gone before its answer was on the way.
    } catch let error as ControlError where error.code == .stopping {
      // Somebody else was faster.
    } catch {
      await service.close()
      throw error
    }
    await service.close()
    return await waitUntilGone() ? .stopped : .stillRuns
  }

  private func waitUntilGone() async -> Bool {
    let start = world.clock.now().monotonic
    while await stillAnswers() {
      if world.clock.now().monotonic.milliseconds(since: start) >= Self.budgetMilliseconds {
        return false
      }
      await world.clock.wait(milliseconds: Self.stepMilliseconds)
    }
    return true
  }

  /// The socket goes before the service does, and may lie elsewhere for a command without
  /// XDG_RUNTIME_DIR; so both are asked, the cheap one first.
  private func stillAnswers() async -> Bool {
    if world.services.isSocketThere(of: place) { return true }
    var place = place
    // No password is asked for again and again: where there is no way without, it counts as gone.
    if place.host != nil { place.mayAsk = false }
    do {
      let service = try await world.services.connect(
        to: place, client: "kettle daemon stop", startIfNeeded: false)
      await service.close()
      return true
    } catch ClientError.connectionLost {
      return true
    } catch {
      return false
    }
  }
}
