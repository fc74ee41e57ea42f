import KettleClient
import KettleControl
import KettleModel
import KettleStarter
import KettleSystem

/// Stops a service and waits until it has ended.
struct ServiceStopper {
  let context: CommandContext
  let address: ServiceAddress

  enum End: Hashable {
    case stopped, didNotRun, stillRuns
  }

  /// The service syncs running transfers before it ends, which takes long on a slow disk.
  static let budgetMilliseconds: Int64 = 30_000
  private static let stepMilliseconds: Int64 = 50

  func stop() async throws -> End {
    let service: any ServiceCalling
    do {
      service = try await context.services.connect(
        to: address, client: "kettle daemon stop", startIfNeeded: false)
    } catch ClientError.notRunning {
      return .didNotRun
    } catch let error as RemoteError where error.why == .notRunning {
      return .didNotRun
    }
    // systemd keeps the socket, and would start the service again for a look at it.
    let supervised = await supervisedProcess(service)
    do {
      _ = try await service.call(StopService.self, .init())
    } catch ClientError.connectionLost {
      // It may end before its reply is sent.
    } catch let error as ControlError where error.code == .stopping {
      // Another client stopped it first.
    } catch {
      await service.close()
      throw error
    }
    await service.close()
    let isGone =
      if let supervised {
        await waitWhile { ProcessState.exists(supervised) }
      } else {
        await waitWhile { await isReachable() }
      }
    return isGone ? .stopped : .stillRuns
  }

  /// The number of the service's process if systemd runs it on this machine.
  private func supervisedProcess(_ service: any ServiceCalling) async -> Int64? {
    guard address.host == nil,
      let status = try? await service.call(ServiceStatus.self, .init())
    else { return nil }
    return switch status.start {
    case .bySystemd: status.processID
    case .byCommand, nil: nil
    }
  }

  /// Returns whether the condition ended within the budget.
  private func waitWhile(_ isRunning: () async -> Bool) async -> Bool {
    let start = context.clock.now().monotonic
    while await isRunning() {
      if context.clock.now().monotonic.milliseconds(since: start) >= Self.budgetMilliseconds {
        return false
      }
      await context.clock.wait(milliseconds: Self.stepMilliseconds)
    }
    return true
  }

  /// The socket disappears before the service does, and may lie elsewhere for a command without
  /// XDG_RUNTIME_DIR. So this checks the socket, which is cheap, and then connects.
  private func isReachable() async -> Bool {
    if context.services.socketExists(of: address) { return true }
    var address = address
    // Do not ask for a password repeatedly: when ssh needs one, the service counts as gone.
    if address.host != nil { address.mayAsk = false }
    do {
      let service = try await context.services.connect(
        to: address, client: "kettle daemon stop", startIfNeeded: false)
      await service.close()
      return true
    } catch ClientError.connectionLost {
      return true
    } catch {
      return false
    }
  }
}
