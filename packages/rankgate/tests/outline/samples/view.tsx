import * as React from "react";

type Props = { name: string; onClose?: () => void };

export const Row = ({ name }: Props) => <li className="row">{name}</li>;

export const Cached = React.memo(function Inner({ name }: Props) {
  return <Row name={name} />;
});

export default class View extends React.Component<Props> {
  state = { open: true };

  toggle = () => this.setState({ open: !this.state.open });

  render() {
    return (
      <>
        <button onClick={() => this.toggle()}>größer</button>
        <Row name={this.props.name} />
      </>
    );
  }
}

export function useOpen<T,>(first: T): T {
  return first;
}
